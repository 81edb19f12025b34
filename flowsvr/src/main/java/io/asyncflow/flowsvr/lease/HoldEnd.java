package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.retry.RetryPolicy;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TaskTransition;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;

/**
 * Decides what becomes of a task when a hold of it ends: the one place that knows about stage
 * hand-back, retries, exhaustion and poison. Pure functions of the row as it was read under its
 * lock.
 */
public final class HoldEnd {

  private HoldEnd() {}

  /** What an accepted report makes of the task. */
  static TaskTransition reported(TaskRow row, Report report, TaskTypeConfig type) {
    TaskTransition to =
        switch (report.outcome()) {
          case NEXT_STAGE -> nextStage(row, report);
          case SUCCESS ->
              TaskTransition.of(row, TaskStatus.SUCCESS, logged(row, report))
                  .withResult(report.result());
          case RETRY -> failed(row, type, logged(row, report), report.retryAfterMs());
          case FAIL ->
              TaskTransition.of(row, TaskStatus.FAILED, logged(row, report))
                  .withFailures(failuresWithThisOne(row, type));
          case SNOOZE ->
              TaskTransition.of(row, TaskStatus.WAITING, logged(row, report))
                  .dueAt(row.now() + report.delayMs());
          case RELEASE -> TaskTransition.of(row, TaskStatus.WAITING, logged(row, report));
        };
    return to.reportedAs(report.reportId());
  }

  private static TaskTransition nextStage(TaskRow row, Report report) {
    int priority = report.priority() == null ? row.priority() : report.priority();
    String context = report.taskContext() == null ? row.context() : report.taskContext();
    return TaskTransition.of(row, TaskStatus.WAITING, logged(row, report))
        .toStage(report.taskStage(), context, priority)
        .dueAt(row.now() - priority * 1000L);
  }

  /**
   * What the end of a lease makes of a task that nobody has reported.
   *
   * <p>A live worker beats every fifth of the lease. Where the lease ended at the hard end of the
   * attempt and the beats had kept coming, the attempt timed out: a failure like any other. Where
   * none came for one and a half such intervals before the end the worker is taken for lost, and no
   * retry is burnt. An old client sends no beats: its attempt timed out.
   */
  public static TaskTransition expired(TaskRow row, TaskTypeConfig type) {
    int deliveries = row.deliveryCount() + 1;
    boolean timedOut = timedOut(row, type);
    Verdict verdict = verdict(row, type);
    String reason =
        timedOut
            ? "timed out: the attempt ran longer than max_processing_time ("
                + type.maxProcessingTime().toSeconds()
                + " s)"
            : "worker lost: no heartbeat within the lease of " + type.lease().toSeconds() + " s";
    if (verdict == Verdict.POISON) {
      String poison =
          "poison: "
              + deliveries
              + " holds in a row ended without a report (max_delivery "
              + type.maxDelivery()
              + "); the last one: "
              + reason;
      return TaskTransition.of(row, TaskStatus.FAILED, logged(row, verdict.name(), poison))
          .withDeliveries(deliveries);
    }
    TaskTransition to =
        timedOut
            ? failed(row, type, logged(row, verdict.name(), reason), null)
            : TaskTransition.of(row, TaskStatus.WAITING, logged(row, verdict.name(), reason));
    return to.withDeliveries(deliveries);
  }

  /** Why a lease ran out. */
  public enum Verdict {
    /** No beat came: no retry is burnt. */
    WORKER_LOST,
    /** It was worked on for longer than an attempt may last: a failure like any other. */
    TIMED_OUT,
    /** It has ended so too often: the task is quarantined. */
    POISON
  }

  /** The verdict by which {@link #expired} decides. */
  public static Verdict verdict(TaskRow row, TaskTypeConfig type) {
    if (row.deliveryCount() + 1 > type.maxDelivery()) {
      return Verdict.POISON;
    }
    return timedOut(row, type) ? Verdict.TIMED_OUT : Verdict.WORKER_LOST;
  }

  private static boolean timedOut(TaskRow row, TaskTypeConfig type) {
    return row.workerId().isEmpty() || wasAliveAtTheEnd(row, type);
  }

  private static boolean wasAliveAtTheEnd(TaskRow row, TaskTypeConfig type) {
    long hardEnd = row.holdTime() + type.maxProcessingTime().toMillis();
    boolean ranToTheEnd = row.leaseEnd() >= hardEnd;
    long wholeLease = new Holder(row.workerId(), row.traceId()).firstLease(type).toMillis();
    return ranToTheEnd
        && row.beatTime() > 0
        && row.leaseEnd() - row.beatTime() <= wholeLease * 3 / 10;
  }

  /** An attempt fails once: where a sweep has counted it, its late report does not do so again. */
  private static int failuresWithThisOne(TaskRow row, TaskTypeConfig type) {
    boolean sweptBefore = row.status() == TaskStatus.WAITING;
    return row.crtRetryNum() + (sweptBefore && timedOut(row, type) ? 0 : 1);
  }

  private static TaskTransition failed(
      TaskRow row, TaskTypeConfig type, String log, Long retryAfterMs) {
    RetryPolicy policy = row.retryPolicy(type);
    int failures = failuresWithThisOne(row, type);
    if (!policy.allowsRetryAfter(failures)) {
      return TaskTransition.of(row, TaskStatus.FAILED, log).withFailures(failures);
    }
    long delay = retryAfterMs != null ? retryAfterMs : policy.delayAfter(failures).toMillis();
    return TaskTransition.of(row, TaskStatus.WAITING, log)
        .withFailures(failures)
        .dueAt(row.now() + delay);
  }

  private static String logged(TaskRow row, Report report) {
    return logged(row, report.outcome().name(), report.errMsg());
  }

  private static String logged(TaskRow row, String outcome, String message) {
    return ScheduleLog.append(
        row.scheduleLog(),
        new ScheduleLog.Entry(
            row.traceId(),
            message,
            row.now() - row.holdTime(),
            row.stage(),
            outcome,
            row.workerId(),
            row.leaseEpoch(),
            row.now()));
  }
}
