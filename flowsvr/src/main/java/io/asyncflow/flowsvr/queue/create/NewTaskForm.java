package io.asyncflow.flowsvr.queue.create;

import io.asyncflow.api.NewTask;
import io.asyncflow.flowsvr.task.row.KeyOptions;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.TaskFields;
import java.util.LinkedHashSet;
import java.util.Set;

/** Reads a task to be created. */
public final class NewTaskForm {

  private NewTaskForm() {}

  /** Reads the task; it is valid only if {@code in} has no invalid field afterwards. */
  public static TaskDraft read(FieldSource in) {
    NewTask sent = TaskFields.task(in);
    return new TaskDraft(
        sent.userId(),
        sent.taskType() == null ? null : new TaskType(sent.taskType()),
        sent.taskStage(),
        sent.scheduleLog(),
        sent.taskContext(),
        sent.priority(),
        sent.delayMs(),
        sent.runAt(),
        sent.maxRetryNum(),
        sent.maxRetryInterval(),
        sent.maxUnexpectedRetries(),
        sent.idempotencyKey(),
        sent.onDuplicate() == null
            ? KeyOptions.PLAIN
            : new KeyOptions(sent.onDuplicate(), sent.keyMs(), sent.keyUntilDone() != null),
        null,
        sent.workerIds() == null ? Set.of() : new LinkedHashSet<>(sent.workerIds()),
        sent.traceParent());
  }
}
