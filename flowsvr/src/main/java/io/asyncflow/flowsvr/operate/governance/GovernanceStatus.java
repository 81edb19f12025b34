package io.asyncflow.flowsvr.operate.governance;

import io.asyncflow.flowsvr.task.number.LiveServers.LiveServer;
import java.util.List;

/**
 * The servers, the leader and the last runs of the governance duties.
 *
 * @param nodes the live servers
 * @param leader id of the node that leads; {@code null} if there is none
 * @param term rises with every change of leader
 * @param leaderLeaseMs the remaining time of its lease
 * @param writers how many database servers the live servers write to, for more than six seconds
 * @param jobs the last run of each duty
 */
record GovernanceStatus(
    List<LiveServer> nodes,
    String leader,
    long term,
    long leaderLeaseMs,
    int writers,
    List<DutyRun> jobs) {}
