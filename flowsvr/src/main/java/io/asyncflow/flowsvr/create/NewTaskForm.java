package io.asyncflow.flowsvr.create;

import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TraceParent;
import io.asyncflow.flowsvr.task.KeyOptions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.access.Secrets;
import io.asyncflow.rules.field.TaskFields;
import java.util.Objects;

/** Reads a task to be created. */
public final class NewTaskForm {

  private NewTaskForm() {}

  /** Reads the task; it is valid only if {@code in} has no invalid field afterwards. */
  public static TaskDraft read(Fields in) {
    String traceParent = TraceParent.validOrNull(in.text("traceParent").value());
    return read(in, TaskFields.idempotencyKey(in), keyOptions(in)).withTraceParent(traceParent);
  }

  /** The same, but ignores the key, its options and the trace. */
  public static TaskDraft readWithoutKey(Fields in) {
    return read(in, null, KeyOptions.PLAIN);
  }

  private static TaskDraft read(Fields in, String key, KeyOptions keyOptions) {
    TaskType type = TaskFields.taskType(in);
    in.refuseMisnomer("context", "taskContext");
    TaskDraft task =
        new TaskDraft(
            TaskFields.userId(in),
            type,
            TaskFields.taskStage(in),
            Secrets.masked(TaskFields.scheduleLog(in)),
            Objects.requireNonNullElse(TaskFields.taskContext(in), ""),
            TaskFields.priority(in),
            TaskFields.delayMs(in),
            TaskFields.runAt(in),
            TaskFields.maxRetryNum(in),
            TaskFields.maxRetryInterval(in),
            TaskFields.maxUnexpectedRetries(in),
            key,
            keyOptions,
            null,
            TaskFields.workerIds(in),
            null);
    TaskFields.refuseTwoTimes(in, task.delayMs(), task.runAt());
    return task;
  }

  private static KeyOptions keyOptions(Fields in) {
    if (!TaskFields.hasKey(in)) {
      return KeyOptions.PLAIN;
    }
    OnDuplicate onDuplicate = TaskFields.onDuplicate(in);
    return new KeyOptions(onDuplicate, TaskFields.keyMs(in), TaskFields.keyUntilDone(in));
  }
}
