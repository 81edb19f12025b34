package io.asyncflow.worker.internal;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews every lease held, queued and reporting tasks too, in one request every fifth of the
 * shortest. Beats only while something is held.
 */
final class LeaseKeeper implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int MOST_TASKS = 1000;

  /** A lease that the server's answer does not mention must not make a busy loop. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

  private final String workerId;
  private final FlowClient client;
  private final HeldRuns held;
  private final RunEnds ends;
  private final Runnable drain;
  private final Ticker ticker;
  private final Backoff backoff;
  private final OutageLog outage;
  private volatile long nextBeat = Long.MAX_VALUE;
  private long notBefore;

  /**
   * @param drain called when the server wants this worker to leave; may be called often
   */
  LeaseKeeper(
      String workerId,
      FlowClient client,
      HeldRuns held,
      RunEnds ends,
      Runnable drain,
      Ticker ticker,
      Bell bell,
      Backoff backoff,
      Link link) {
    this.workerId = workerId;
    this.client = client;
    this.held = held;
    this.ends = ends;
    this.drain = drain;
    this.ticker = ticker;
    this.backoff = backoff;
    this.outage = new OutageLog(log, "heartbeats", link);
    held.whenAdded(
        run -> {
          if (run.lease().renewAt() < nextBeat) {
            bell.ring();
          }
        });
  }

  @Override
  public Duration runOnce() {
    if (dueAt() <= ticker.nanos()) {
      beat();
    }
    nextBeat = dueAt();
    // A run that was added between these two looks did not ring.
    long due = dueAt();
    return due == Long.MAX_VALUE ? Loop.UNTIL_RUNG : ticker.until(due);
  }

  private long dueAt() {
    return held.all().stream().mapToLong(run -> run.lease().renewAt()).min().stream()
        .map(due -> Math.max(due, notBefore))
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  private void beat() {
    List<Run> runs = new ArrayList<>(held.all());
    long start = ticker.nanos();
    try {
      for (int from = 0; from < runs.size(); from += MOST_TASKS) {
        beat(runs.subList(from, Math.min(from + MOST_TASKS, runs.size())));
      }
      backoff.reset();
      notBefore = start + SHORTEST_PAUSE.toNanos();
      outage.worked();
    } catch (FlowException e) {
      notBefore = ticker.nanos() + shorter(backoff.next(), shortestInterval(runs)).toNanos();
      outage.failed(
          e.errorCode().name(),
          e.getMessage(),
          "tried again until the leases of " + runs.size() + " tasks are over");
    }
  }

  private void beat(List<Run> runs) {
    List<HeldTask> tasks =
        runs.stream()
            .map(run -> new HeldTask(run.task().taskId(), run.task().leaseEpoch(), run.progress()))
            .toList();
    long start = ticker.nanos();
    HeartbeatAnswer answer = client.heartbeat(new Heartbeat(workerId, tasks));
    for (LeaseState lease : answer.tasks()) {
      Run run = held.find(lease.taskId(), lease.leaseEpoch());
      if (run != null) {
        heed(run, lease, start);
      }
    }
    if (answer.drain()) {
      drain.run();
    }
  }

  private void heed(Run run, LeaseState lease, long requestStart) {
    switch (lease.state()) {
      case EXTENDED -> run.renew(requestStart, lease.leaseMs());
      case LOST -> ends.lost(run, "the server says that its lease is lost");
      case CANCEL -> ends.cancelled(run);
    }
  }

  private static Duration shortestInterval(List<Run> runs) {
    Optional<Duration> shortest =
        runs.stream().map(run -> run.lease().renewalInterval()).min(Comparator.naturalOrder());
    return shortest.orElse(Duration.ZERO);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
