package io.asyncflow.flowsvr.governance;

import io.asyncflow.flowsvr.number.LiveServers.LiveServer;
import java.util.List;

/**
 * Who governs, and what governance did.
 *
 * @param nodes the servers that live
 * @param leader id of the node that leads; {@code null} if nobody does at the moment
 * @param term rises with every change of leader
 * @param leaderLeaseMs how long its lease still lasts
 * @param jobs the last run of each duty
 */
record GovernanceStatus(
    List<LiveServer> nodes, String leader, long term, long leaderLeaseMs, List<DutyRun> jobs) {}
