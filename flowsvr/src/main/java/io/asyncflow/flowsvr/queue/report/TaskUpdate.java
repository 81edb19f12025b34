package io.asyncflow.flowsvr.queue.report;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Change;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.rules.RetryPolicy;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.access.Secrets;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
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
   * Reads an update, in which a field that is absent, {@code null}, 0 or empty is kept; it is valid
   * only if {@code in} has no invalid field afterwards.
   *
   * @param in flat, or the object {@code taskData} of a request
   */
  static TaskUpdate read(Fields in) {
    TaskId id = TaskFields.writtenTask(in);
    in.refuseMisnomer("context", "taskContext");
    return new TaskUpdate(
        id,
        status(in),
        unlessEmpty(in.text("taskStage").name().max(TaskLimits.STAGE).value()),
        unlessEmpty(TaskFields.taskContext(in)),
        unlessEmpty(
            Secrets.masked(in.text("scheduleLog").maxBytes(TaskLimits.SCHEDULE_LOG_BYTES).value())),
        unlessZero(TaskFields.priority(in)),
        unlessZero(in.number("orderTime").epochMs().asLong()),
        unlessZero(in.number("crtRetryNum").between(0, TaskLimits.RETRIES).asInteger()),
        unlessZero(in.number("maxRetryNum").between(0, TaskLimits.RETRIES).asInteger()),
        unlessZero(in.number("maxRetryInterval").between(0, TaskLimits.RETRY_INTERVAL).asInteger()),
        unlessEmpty(in.text("userId").name().max(TaskLimits.USER_ID).value()));
  }

  /** Workers must not cancel, so 16 is refused. */
  private static TaskStatus status(Fields in) {
    Integer status = unlessZero(in.number("status").asInteger());
    if (status == null) {
      return null;
    }
    return switch (status) {
      case 1, 2, 4, 8 -> TaskStatus.ofCode(status);
      default -> {
        in.refuse("status", "must be 1 (hand back), 2 (executing), 4 (success) or 8 (failed)");
        yield null;
      }
    };
  }

  private static String unlessEmpty(String value) {
    return value == null || value.isEmpty() ? null : value;
  }

  private static <N extends Number> N unlessZero(N value) {
    return value == null || value.longValue() == 0 ? null : value;
  }

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
   * @throws io.asyncflow.flowsvr.edge.access.MissingVerbException if it may not
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

  /**
   * What becomes of a task that is not final. A task that is handed back is due by its priority,
   * unless the client sets the order time.
   */
  TaskTransition transitionOf(TaskRow row, TaskStatus next, RetryPolicy policy) {
    boolean isHeld = row.status() == TaskStatus.EXECUTING;
    TaskRow.Copy changed =
        row.copy()
            .status(next)
            .userId(or(userId, row.userId()))
            .stage(or(taskStage, row.stage()))
            .context(or(taskContext, row.context()))
            .scheduleLog(or(scheduleLog, row.scheduleLog()))
            .priority(or(priority, row.priority()))
            .crtRetryNum(or(crtRetryNum, row.crtRetryNum()))
            .unexpectedNum(isSame(taskStage, row.stage()) ? row.unexpectedNum() : 0)
            .maxRetryNum(own(maxRetryNum, policy.maxRetries(), row.maxRetryNum()))
            .maxRetryInterval(own(maxRetryInterval, policy.cap(), row.maxRetryInterval()));
    if (orderTime != null) {
      changed.orderTime(orderTime);
    } else if (isHeld && next == TaskStatus.WAITING) {
      changed.orderTime(row.now() - or(priority, row.priority()) * 1000L);
    }
    if (isHeld && next != TaskStatus.EXECUTING) {
      changed
          .reportedEpoch(row.leaseEpoch())
          .reportId(null)
          .deliveryCount(0)
          .endedByOperator(false);
    }
    TaskRow after = changed.row();
    EventKind kind = next == row.status() ? null : kindOf(row, after);
    boolean isFailure = kind == EventKind.RETRY || kind == EventKind.FAILED;
    String error = isFailure ? ScheduleLog.last(scheduleLog).error() : null;
    return new TaskTransition(row, after, kind, error == null ? null : TextField.keepable(error));
  }

  /** The change as the report of a run: how that ended is what the client's own log says. */
  TaskTransition reportOf(TaskTransition change) {
    TaskRow after = change.after().copy().scheduleLog(or(scheduleLog, "")).row();
    return new TaskTransition(change.before(), after, change.kind(), change.errMsg());
  }

  /** Old clients count failures themselves. */
  private static EventKind kindOf(TaskRow row, TaskRow after) {
    return switch (after.status()) {
      case SUCCESS -> EventKind.SUCCESS;
      case FAILED -> EventKind.FAILED;
      case WAITING ->
          after.crtRetryNum() > row.crtRetryNum()
              ? EventKind.RETRY
              : after.stage().equals(row.stage()) ? EventKind.RELEASED : EventKind.NEXT_STAGE;
      default -> throw new IllegalArgumentException("no update makes a task " + after.status());
    };
  }

  private static <T> T ifSet(T wanted, T current) {
    return wanted == null ? null : current;
  }

  /**
   * Old clients send back all fields that they received; that must not fix the type's values in the
   * task.
   */
  private static Integer own(Integer wanted, int current, Integer own) {
    return isSame(wanted, current) ? own : wanted;
  }

  private static <T> T or(T wanted, T current) {
    return wanted == null ? current : wanted;
  }

  private static boolean isSame(Object wanted, Object current) {
    return wanted == null || wanted.equals(current);
  }
}
