package io.asyncflow.console.page.overview;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.console.frame.Operator;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.cluster.ClusterController;
import io.asyncflow.console.page.cluster.ClusterViews.Cluster;
import io.asyncflow.console.page.worker.Fleet;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads what the overview shows, and keeps what each operator saw last, for when the server cannot
 * read its database. Thread-safe.
 */
final class Snapshots {

  private static final int MOST_KEPT = 100;

  /** Longer, it would be a picture of another time. */
  private static final Duration KEPT = Duration.ofHours(1);

  private final InstantSource clock;

  /** Whoever has the same name and rights sees the same. */
  private final Map<Operator, Snapshot> last =
      Collections.synchronizedMap(
          new LinkedHashMap<>(MOST_KEPT, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Operator, Snapshot> eldest) {
              return size() > MOST_KEPT;
            }
          });

  /**
   * What the calls of the overview answered.
   *
   * @param workers {@code null} if the operator may not see them
   * @param cluster {@code null} if the operator may not see it
   * @param since by this server's clock, which is not the database's
   * @param isStale whether the server cannot read anything later
   */
  record Snapshot(Overview numbers, Fleet workers, Cluster cluster, long since, boolean isStale) {

    Snapshot stale() {
      return new Snapshot(numbers, workers, cluster, since, true);
    }
  }

  Snapshots(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * What there is now, or else what the operator saw last.
   *
   * @throws FlowException if there is neither
   */
  Snapshot look(Visit visit) {
    Operator viewer = visit.frame().operator().withoutSession();
    try {
      Snapshot now = read(visit);
      last.put(viewer, now);
      return now;
    } catch (FlowException refused) {
      Snapshot before = refused.retryable() ? last.get(viewer) : null;
      if (before == null || clock.millis() - before.since() >= KEPT.toMillis()) {
        throw refused;
      }
      return before.stale();
    }
  }

  private Snapshot read(Visit visit) {
    return new Snapshot(
        new StatsClient(visit.api()).overview(),
        ifSeen(visit.may("WORKER_READ"), () -> Fleet.read(visit)),
        ifSeen(visit.may("GOVERN_READ"), () -> visit.send(ClusterController.STATUS)),
        clock.millis(),
        false);
  }

  /** The rest of the page is of use without what lies outside of an operator's scope. */
  private static <T> T ifSeen(boolean may, Supplier<T> call) {
    if (!may) {
      return null;
    }
    try {
      return call.get();
    } catch (FlowException refused) {
      if (refused.retryable()) {
        throw refused;
      }
      return null;
    }
  }
}
