package io.asyncflow.console.page.overview;

import io.asyncflow.api.stats.Overview;
import io.asyncflow.console.page.cluster.ClusterViews.Cluster;
import io.asyncflow.console.page.worker.Fleet;

/**
 * What the calls of the overview answered.
 *
 * @param workers {@code null} if the operator may not see them
 * @param cluster {@code null} if the operator may not see it
 */
record Snapshot(Overview numbers, Fleet workers, Cluster cluster) {}
