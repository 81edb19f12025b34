package io.asyncflow.systemtest.evidence;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.ReportResult;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Phase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All that is known about one task, each call with the two moments between which the server acted:
 * an act that was answered before another one was sent came first.
 */
public final class TaskStory {

  /** An end that never came. */
  public static final long NEVER = Long.MAX_VALUE;

  /** A create that was acknowledged, or that may have made this task. */
  public record Create(
      long invokedAt, long endedAt, String key, String stage, String text, Long delayMs) {}

  /** The task in the answer of a hold. */
  public record Hold(
      long invokedAt,
      long at,
      String worker,
      String key,
      int epoch,
      String stage,
      String text,
      Integer status,
      Integer failures,
      Long leaseMs) {

    public boolean isSameCallAs(Hold other) {
      return key != null && key.equals(other.key) && worker.equals(other.worker);
    }
  }

  /** One attempt to deliver a report. */
  public record Delivery(
      long invokedAt,
      long endedAt,
      Phase phase,
      int epoch,
      String key,
      Outcome outcome,
      String nextStage,
      String text,
      Long delayMs,
      String answer) {

    public boolean isAccepted() {
      return phase == Phase.OK && ReportResult.Verdict.ACCEPTED.name().equals(answer);
    }

    /** Accepted now or before. */
    public boolean stands() {
      return phase == Phase.OK;
    }

    /** Nobody knows whether it was accepted. */
    public boolean isOpen() {
      return phase == Phase.INVOKE || phase == Phase.UNKNOWN;
    }

    public boolean commitsAStage() {
      return outcome == Outcome.NEXT_STAGE || outcome == Outcome.SUCCESS;
    }

    public boolean isFinal() {
      return outcome == Outcome.SUCCESS || outcome == Outcome.FAIL;
    }
  }

  /** A renewal of the lease that was granted. */
  public record Beat(long invokedAt, int epoch, long leaseMs) {}

  /** A start of a handler. */
  record Run(long at, String process, int epoch, String stage) {}

  /** The task as it was read. */
  public record Read(long invokedAt, long at, int epoch, int status) {

    private static final int FINAL = 4 | 8 | 16;

    public boolean isFinal() {
      return (status & FINAL) != 0;
    }
  }

  final String task;
  final List<Create> creates = new ArrayList<>();
  final List<Hold> holds = new ArrayList<>();
  final List<Delivery> deliveries = new ArrayList<>();
  final List<Beat> beats = new ArrayList<>();
  final List<Run> runs = new ArrayList<>();
  final List<Read> reads = new ArrayList<>();
  final List<Long> notFoundAt = new ArrayList<>();
  final List<Long> cancelledAt = new ArrayList<>();
  final List<Long> revokedFrom = new ArrayList<>();
  Audit.Row row;

  TaskStory(String task) {
    this.task = task;
  }

  /** The task's id. */
  public String task() {
    return task;
  }

  public List<Create> creates() {
    return Collections.unmodifiableList(creates);
  }

  public List<Hold> holds() {
    return Collections.unmodifiableList(holds);
  }

  public List<Delivery> deliveries() {
    return Collections.unmodifiableList(deliveries);
  }

  public List<Beat> beats() {
    return Collections.unmodifiableList(beats);
  }

  public List<Run> runs() {
    return Collections.unmodifiableList(runs);
  }

  public List<Read> reads() {
    return Collections.unmodifiableList(reads);
  }

  /** When reads began that did not find it. */
  public List<Long> notFoundAt() {
    return Collections.unmodifiableList(notFoundAt);
  }

  /** When cancels of it were answered. */
  public List<Long> cancelledAt() {
    return Collections.unmodifiableList(cancelledAt);
  }

  /** Whether an act that ends a hold was sent before the end of this time, and after its begin. */
  public boolean mayBeRevoked(long begin, long end) {
    return revokedFrom.stream().anyMatch(at -> begin < at && at < end);
  }

  /** What is left of it in the database; {@code null} for nothing. */
  public Audit.Row row() {
    return row;
  }

  /** When somebody was first told that the task exists; empty if nobody ever was. */
  public Optional<Create> acknowledgedCreate() {
    return creates.stream()
        .filter(create -> create.endedAt() != NEVER)
        .min(Comparator.comparingLong(Create::endedAt));
  }

  /** One hold an epoch, the first answer of each, in the order of epochs. */
  public List<Hold> holdsByEpoch() {
    Map<Integer, Hold> first = new TreeMap<>();
    for (Hold hold : holds) {
      first.merge(hold.epoch(), hold, (a, b) -> a.at() <= b.at() ? a : b);
    }
    return List.copyOf(first.values());
  }

  /** The report of an epoch that is known to count. */
  public Optional<Delivery> counted(int epoch) {
    return deliveries.stream()
        .filter(delivery -> delivery.epoch() == epoch && delivery.stands())
        .min(Comparator.comparingLong(Delivery::invokedAt));
  }

  /** Reports of an epoch that may count although nobody was told; one of each kind. */
  public List<Delivery> open(int epoch) {
    Map<String, Delivery> distinct = new LinkedHashMap<>();
    deliveries.stream()
        .filter(delivery -> delivery.epoch() == epoch && delivery.isOpen())
        .forEach(delivery -> distinct.putIfAbsent(String.valueOf(delivery.key()), delivery));
    return List.copyOf(distinct.values());
  }
}
