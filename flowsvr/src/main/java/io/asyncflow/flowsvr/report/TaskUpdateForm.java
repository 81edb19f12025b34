package io.asyncflow.flowsvr.report;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.access.Secrets;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;

/**
 * Reads the partial update of an old client. A field that is absent, {@code null}, 0 or empty is
 * kept.
 */
final class TaskUpdateForm {

  private TaskUpdateForm() {}

  /**
   * Reads the update; it is valid only if {@code in} has no invalid field afterwards.
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
}
