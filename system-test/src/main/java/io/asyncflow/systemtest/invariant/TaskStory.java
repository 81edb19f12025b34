package io.asyncflow.systemtest.invariant;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.ReportResult;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Phase;
import java.util.ArrayList;
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
final class TaskStory {

  /** An end that never came. */
  static final long NEVER = Long.MAX_VALUE;

  /** A create that was acknowledged, or that may have made this task. */
  record Create(
      long invokedAt, long endedAt, String key, String stage, String text, Long delayMs) {}

  /** The task in the answer of a hold. */
  record Hold(
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

    boolean isSameCallAs(Hold other) {
      return key != null && key.equals(other.key) && worker.equals(other.worker);
    }
  }

  /** One attempt to deliver a report. */
  record Delivery(
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

    boolean isAccepted() {
      return phase == Phase.OK && ReportResult.Verdict.ACCEPTED.name().equals(answer);
    }

    /** Accepted now or before. */
    boolean stands() {
      return phase == Phase.OK;
    }

    /** Nobody knows whether it was accepted. */
    boolean isOpen() {
      return phase == Phase.INVOKE || phase == Phase.UNKNOWN;
    }

    boolean commitsAStage() {
      return outcome == Outcome.NEXT_STAGE || outcome == Outcome.SUCCESS;
    }

    boolean isFinal() {
      return outcome == Outcome.SUCCESS || outcome == Outcome.FAIL;
    }
  }

  /** A renewal of the lease that was granted. */
  record Beat(long invokedAt, int epoch, long leaseMs) {}

  /** A start of a handler. */
  record Run(long at, String process, int epoch, String stage) {}

  /** The task as it was read. */
  record Read(long invokedAt, long at, int epoch, int status) {

    private static final int FINAL = 4 | 8 | 16;

    boolean isFinal() {
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
  Audit.Row row;

  TaskStory(String task) {
    this.task = task;
  }

  /** When somebody was first told that the task exists; empty if nobody ever was. */
  Optional<Create> acknowledgedCreate() {
    return creates.stream()
        .filter(create -> create.endedAt() != NEVER)
        .min(Comparator.comparingLong(Create::endedAt));
  }

  /** One hold an epoch, the first answer of each, in the order of epochs. */
  List<Hold> holdsByEpoch() {
    Map<Integer, Hold> first = new TreeMap<>();
    for (Hold hold : holds) {
      first.merge(hold.epoch(), hold, (a, b) -> a.at() <= b.at() ? a : b);
    }
    return List.copyOf(first.values());
  }

  /** The report of an epoch that is known to count. */
  Optional<Delivery> counted(int epoch) {
    return deliveries.stream()
        .filter(delivery -> delivery.epoch() == epoch && delivery.stands())
        .min(Comparator.comparingLong(Delivery::invokedAt));
  }

  /** Reports of an epoch that may count although nobody was told; one of each kind. */
  List<Delivery> open(int epoch) {
    Map<String, Delivery> distinct = new LinkedHashMap<>();
    deliveries.stream()
        .filter(delivery -> delivery.epoch() == epoch && delivery.isOpen())
        .forEach(delivery -> distinct.putIfAbsent(String.valueOf(delivery.key()), delivery));
    return List.copyOf(distinct.values());
  }
}
