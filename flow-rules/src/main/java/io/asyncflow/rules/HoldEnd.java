package io.asyncflow.rules;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import java.util.Optional;

/**
 * Decides how a task changes when a hold of it ends. It is the only place with the rules on the
 * next stage, retries, exhausted retries and poison. Pure functions of the row as it was read:
 * under its lock, or without one if the write succeeds only on an unchanged row.
 */
public final class HoldEnd {

  private HoldEnd() {}

  /** The transition of an accepted report. */
  public static TaskTransition reported(TaskRow row, Report report, TypeRules type) {
    TaskRow.Copy after =
        switch (report.outcome()) {
          case NEXT_STAGE -> nextStage(row, report);
          case SUCCESS -> row.copy().status(TaskStatus.SUCCESS).result(report.result());
          case RETRY ->
              failed(row, type, Boolean.TRUE.equals(report.unexpected()), report.retryAfterMs());
          case FAIL ->
              row.copy()
                  .status(TaskStatus.FAILED)
                  .crtRetryNum(row.crtRetryNum() + newFailures(row, type));
          case SNOOZE ->
              row.copy().status(TaskStatus.WAITING).orderTime(row.now() + report.delayMs());
          case RELEASE -> row.copy().status(TaskStatus.WAITING);
        };
    TaskRow reported =
        after
            .scheduleLog(
                logged(row, report.outcome().name(), report.errMsg(), report.localRetries()))
            .reportedEpoch(row.leaseEpoch())
            .reportId(report.reportId())
            .deliveryCount(provesNothing(report) ? row.deliveryCount() : 0)
            .endedByOperator(false)
            .row();
    return new TaskTransition(row, reported, kindOf(report.outcome(), reported), report.errMsg());
  }

  /** Whether the task has not run in this hold: it may end the next worker that runs it. */
  private static boolean provesNothing(Report report) {
    return report.outcome() == Outcome.RELEASE && Boolean.FALSE.equals(report.begun());
  }

  private static EventKind kindOf(Outcome outcome, TaskRow after) {
    return switch (outcome) {
      case NEXT_STAGE -> EventKind.NEXT_STAGE;
      case SUCCESS -> EventKind.SUCCESS;
      case RETRY -> after.status() == TaskStatus.FAILED ? EventKind.FAILED : EventKind.RETRY;
      case FAIL -> EventKind.FAILED;
      case SNOOZE -> EventKind.SNOOZE;
      case RELEASE -> EventKind.RELEASED;
    };
  }

  private static TaskRow.Copy nextStage(TaskRow row, Report report) {
    int priority = report.priority() == null ? row.priority() : report.priority();
    return row.copy()
        .status(TaskStatus.WAITING)
        .stage(report.taskStage())
        .context(report.taskContext() == null ? row.context() : report.taskContext())
        .priority(priority)
        .orderTime(row.now() - priority * 1000L)
        .crtRetryNum(0)
        .unexpectedNum(0);
  }

  /**
   * The transition of a task whose lease has run out without a report.
   *
   * <p>A live worker sends a heartbeat every fifth of the lease. If the lease ended at the hard end
   * of the attempt and heartbeats came until then, the attempt timed out, which counts as a failed
   * attempt. If no heartbeat came for one and a half intervals before the end, the worker is lost,
   * and no retry is used up. An old client sends no heartbeats: its attempt timed out, unless the
   * lease {@linkplain Leases#ofQueue covers a queue}. Such a lease is too long for a worker that is
   * alive, and nothing tells whether the attempt ever began.
   */
  public static TaskTransition expired(TaskRow row, TypeRules type) {
    int deliveries = row.deliveryCount() + 1;
    boolean timedOut = timedOut(row, type);
    Verdict verdict = verdict(row, type);
    String reason =
        timedOut
            ? "timed out: the attempt ran longer than max_processing_time ("
                + type.maxProcessingTime().toSeconds()
                + " s)"
            : row.workerId().isEmpty()
                ? "worker lost: no word of the task within "
                    + (row.leaseEnd() - row.holdTime()) / 1000
                    + " s of its hold"
                : "worker lost: no heartbeat within the lease of "
                    + type.lease().toSeconds()
                    + " s";
    if (verdict == Verdict.POISON) {
      reason =
          "poison: "
              + deliveries
              + " holds in a row ended without a report (max_delivery "
              + type.maxDelivery()
              + "); the last one: "
              + reason;
    }
    TaskRow.Copy after =
        switch (verdict) {
          case POISON -> row.copy().status(TaskStatus.FAILED);
          case TIMED_OUT -> failed(row, type, true, null);
          case WORKER_LOST, OPERATOR -> row.copy().status(TaskStatus.WAITING);
        };
    TaskRow ended =
        after
            .scheduleLog(logged(row, verdict.name(), reason, null))
            .deliveryCount(deliveries)
            .endedByOperator(false)
            .row();
    return new TaskTransition(row, ended, kindOf(verdict, ended), reason);
  }

  private static EventKind kindOf(Verdict verdict, TaskRow after) {
    return switch (verdict) {
      case POISON -> EventKind.POISON;
      case TIMED_OUT ->
          after.status() == TaskStatus.FAILED ? EventKind.FAILED : EventKind.TIMED_OUT;
      case WORKER_LOST -> EventKind.WORKER_LOST;
      case OPERATOR -> EventKind.REVOKED;
    };
  }

  /** How a hold is judged that ended without a report. */
  public enum Verdict {
    /** Heartbeats stopped; no retry is used up. */
    WORKER_LOST,
    /** The attempt ran longer than {@code max_processing_time}; it counts as a failed attempt. */
    TIMED_OUT,
    /** Too many holds in a row ended without a report; the task is set to failed. */
    POISON,
    /** An operator ended the lease; neither a retry nor a delivery is used up. */
    OPERATOR
  }

  /** The verdict by which {@link #expired} decides. */
  public static Verdict verdict(TaskRow row, TypeRules type) {
    if (row.deliveryCount() + 1 > type.maxDelivery()) {
      return Verdict.POISON;
    }
    return timedOut(row, type) ? Verdict.TIMED_OUT : Verdict.WORKER_LOST;
  }

  private static boolean timedOut(TaskRow row, TypeRules type) {
    return row.workerId().isEmpty() ? !maybeNeverBegan(row, type) : wasAliveAtTheEnd(row, type);
  }

  /** An old client's word that a task still executes begins an attempt of known length. */
  private static boolean maybeNeverBegan(TaskRow row, TypeRules type) {
    return row.beatTime() == 0 && row.leaseEnd() > Leases.endOfAttempt(row, type);
  }

  private static boolean wasAliveAtTheEnd(TaskRow row, TypeRules type) {
    boolean ranToTheEnd = row.leaseEnd() >= Leases.endOfAttempt(row, type);
    long wholeLease = Leases.first(row.workerId(), type).toMillis();
    return ranToTheEnd
        && row.beatTime() > 0
        && row.leaseEnd() - row.beatTime() <= wholeLease * 3 / 10;
  }

  /**
   * By how much this failure raises a count. A late report of an attempt that the sweep has counted
   * as failed does not count it again.
   */
  private static int newFailures(TaskRow row, TypeRules type) {
    boolean sweptBefore = row.status() == TaskStatus.WAITING && !row.endedByOperator();
    return sweptBefore && timedOut(row, type) ? 0 : 1;
  }

  /**
   * A failed attempt. Where unexpected failures have a limit of their own, they have a count of
   * their own, too, and neither uses up what the other may.
   */
  private static TaskRow.Copy failed(
      TaskRow row, TypeRules type, boolean unexpected, Long retryAfterMs) {
    Optional<RetryPolicy> own = unexpected ? row.unexpectedRetryPolicy(type) : Optional.empty();
    RetryPolicy policy = own.orElseGet(() -> row.retryPolicy(type));
    int failures =
        (own.isPresent() ? row.unexpectedNum() : row.crtRetryNum()) + newFailures(row, type);
    TaskRow.Copy after =
        own.isPresent() ? row.copy().unexpectedNum(failures) : row.copy().crtRetryNum(failures);
    if (!policy.allowsRetryAfter(failures)) {
      return after.status(TaskStatus.FAILED);
    }
    long delay = retryAfterMs != null ? retryAfterMs : policy.delayAfter(failures).toMillis();
    return after.status(TaskStatus.WAITING).orderTime(row.now() + delay);
  }

  /**
   * The row after an operator has ended its hold: the task waits, due at once if it was executing.
   * No attempt is counted, and no report of the hold is accepted any more.
   */
  static TaskRow revoked(TaskRow row) {
    return row.copy()
        .status(TaskStatus.WAITING)
        .orderTime(row.status() == TaskStatus.EXECUTING ? row.now() : row.orderTime())
        .reportedEpoch(row.leaseEpoch())
        .reportId(null)
        .endedByOperator(true)
        .scheduleLog(logged(row, "REVOKED", "an operator ended the hold", null))
        .row();
  }

  /**
   * The transition of a task whose lease an operator has ended before its time: the task waits, due
   * as before, and neither a retry nor a delivery is used up. A late report is accepted, as after
   * any lease.
   *
   * @throws TransitionNotAllowedException if the task is not executing
   */
  public static TaskTransition leaseEnded(TaskRow row) {
    if (row.status() != TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(
          row.id(), "only an executing task has a lease, this one is " + row.status());
    }
    String reason = "an operator ended the lease";
    TaskRow ended =
        row.copy()
            .status(TaskStatus.WAITING)
            .endedByOperator(true)
            .scheduleLog(logged(row, Verdict.OPERATOR.name(), reason, null))
            .row();
    return new TaskTransition(row, ended, kindOf(Verdict.OPERATOR, ended), reason);
  }

  /** The row after an operator has ended its hold to pause it: in its place, without an attempt. */
  static TaskRow paused(TaskRow row) {
    return revoked(row).copy().status(TaskStatus.PAUSED).orderTime(row.orderTime()).row();
  }

  private static String logged(TaskRow row, String outcome, String message, Integer localRetries) {
    return ScheduleLog.append(
        row.scheduleLog(),
        new ScheduleLog.Entry(
            row.traceId(),
            message,
            row.now() - row.holdTime(),
            localRetries,
            row.stage(),
            outcome,
            row.workerId(),
            row.leaseEpoch(),
            row.now()));
  }
}
