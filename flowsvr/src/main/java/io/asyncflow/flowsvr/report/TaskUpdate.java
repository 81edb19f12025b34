package io.asyncflow.flowsvr.report;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Change;
import io.asyncflow.rules.RetryPolicy;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.field.TextField;
import java.util.List;

/**
 * The partial update of an old client without leases; {@code null} keeps a field.
 *
 * @param orderTime epoch ms; takes precedence over {@code priority}
 */
public record TaskUpdate(
    TaskId id,
    TaskStatus status,
    String taskStage,
    String taskContext,
    String scheduleLog,
    Integer priority,
    Long orderTime,
    Integer crtRetryNum,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    String userId) {

  /**
   * A field, what this wants of it and what the row has.
   *
   * @param verb what a change of it needs, as at the call that changes it alone
   * @param isContent whether only callers with CONTEXT_READ see it
   */
  private record Part(Object wanted, Object current, Verb verb, boolean isContent) {

    /** Nothing is told of a content that the caller may not read: it counts as changed. */
    boolean isKeptFor(Caller caller) {
      return wanted == null
          || (!isContent || caller.may(Verb.CONTEXT_READ)) && wanted.equals(current);
    }
  }

  private List<Part> parts(TaskRow row, RetryPolicy policy) {
    return List.of(
        new Part(status, row.status(), Verb.TASK_FORCE, false),
        new Part(userId, row.userId(), Verb.TASK_CREATE, false),
        new Part(taskStage, row.stage(), Verb.TASK_CREATE, false),
        new Part(taskContext, row.context(), Verb.TASK_CREATE, true),
        new Part(scheduleLog, row.scheduleLog(), Verb.TASK_CREATE, true),
        new Part(maxRetryNum, policy.maxRetries(), Verb.TASK_CREATE, false),
        new Part(maxRetryInterval, policy.cap(), Verb.TASK_CREATE, false),
        new Part(crtRetryNum, row.crtRetryNum(), Verb.TASK_RETRY, false),
        new Part(priority, row.priority(), Verb.TASK_STEER, false),
        new Part(orderTime, row.orderTime(), Verb.TASK_STEER, false));
  }

  /**
   * Whether this repeats the status of the final task and changes no other field, as far as the
   * caller may know.
   */
  boolean isDoneIn(TaskRow row, RetryPolicy policy, Caller caller) {
    return status == row.status()
        && parts(row, policy).stream().allMatch(part -> part.isKeptFor(caller));
  }

  /**
   * Returns if the caller may change these fields. A worker may report on what was held, so it
   * needs no further verb for that, except for another user, whom no report sets.
   *
   * @throws io.asyncflow.flowsvr.access.MissingVerbException if it may not
   */
  void requireFor(TaskRow row, RetryPolicy policy, Caller caller) {
    if (row.leaseEpoch() > 0 && caller.may(Verb.WORK_HOLD)) {
      if (!isSame(userId, row.userId())) {
        caller.require(Verb.TASK_CREATE);
      }
      return;
    }
    parts(row, policy).stream()
        .filter(part -> !part.isKeptFor(caller))
        .forEach(part -> caller.require(part.verb()));
  }

  /** The fields that this changes, but for the status. */
  Change changeOf(TaskRow row, RetryPolicy policy) {
    TaskUpdate before =
        new TaskUpdate(
            id,
            status,
            ifSet(taskStage, row.stage()),
            ifSet(taskContext, row.context()),
            ifSet(scheduleLog, row.scheduleLog()),
            ifSet(priority, row.priority()),
            ifSet(orderTime, row.orderTime()),
            ifSet(crtRetryNum, row.crtRetryNum()),
            ifSet(maxRetryNum, policy.maxRetries()),
            ifSet(maxRetryInterval, policy.cap()),
            ifSet(userId, row.userId()));
    return Change.between(before, this);
  }

  /** What becomes of a task that is not final. */
  TaskTransition transitionOf(TaskRow row, TaskStatus next) {
    TaskRow after =
        row.copy()
            .status(next)
            .stage(taskStage == null ? row.stage() : taskStage)
            .crtRetryNum(crtRetryNum == null ? row.crtRetryNum() : crtRetryNum)
            .scheduleLog(scheduleLog == null ? "" : scheduleLog)
            .row();
    EventKind kind = kindOf(row, after);
    boolean isFailure = kind == EventKind.RETRY || kind == EventKind.FAILED;
    String error = isFailure ? ScheduleLog.last(scheduleLog).error() : null;
    return new TaskTransition(row, after, kind, error == null ? null : TextField.keepable(error));
  }

  /** Old clients count failures themselves. */
  private static EventKind kindOf(TaskRow row, TaskRow after) {
    return switch (after.status()) {
      case SUCCESS -> EventKind.SUCCESS;
      case FAILED -> EventKind.FAILED;
      case EXECUTING -> EventKind.HELD;
      case WAITING ->
          after.crtRetryNum() > row.crtRetryNum()
              ? EventKind.RETRY
              : after.stage().equals(row.stage()) ? EventKind.RELEASED : EventKind.NEXT_STAGE;
      case PAUSED -> EventKind.PAUSED; // as before: an update pauses no task
      case CANCELLED -> throw new IllegalArgumentException("an update cancels no task");
    };
  }

  private static <T> T ifSet(T wanted, T current) {
    return wanted == null ? null : current;
  }

  /** The task's own number of retries from now on; {@code null} keeps its value. */
  Integer ownMaxRetryNum(RetryPolicy policy) {
    return unlessSame(maxRetryNum, policy.maxRetries());
  }

  /** The task's own cap of the retry delay in seconds from now on; {@code null} keeps its value. */
  Integer ownMaxRetryInterval(RetryPolicy policy) {
    return unlessSame(maxRetryInterval, policy.cap());
  }

  /**
   * Old clients send back all fields that they received; that must not fix the type's values in the
   * task.
   */
  private static Integer unlessSame(Integer wanted, int current) {
    return isSame(wanted, current) ? null : wanted;
  }

  private static boolean isSame(Object wanted, Object current) {
    return wanted == null || wanted.equals(current);
  }
}
