package io.asyncflow.flowsvr.queue.create;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.task.row.TaskDraft;

/** The idempotency key was used before with another body. */
public class IdempotencyConflictException extends FlowException {

  private static final long serialVersionUID = 1L;

  private final transient TaskDraft task;

  public IdempotencyConflictException(String key) {
    this(key, null);
  }

  IdempotencyConflictException(TaskDraft task) {
    this(task.idempotencyKey(), task);
  }

  private IdempotencyConflictException(String key, TaskDraft task) {
    super(
        ErrorCode.IDEMPOTENCY_CONFLICT,
        "the idempotency key " + key + " was used with another body");
    this.task = task;
  }

  /** The task that was not created; {@code null} if it is another entity. */
  public TaskDraft task() {
    return task;
  }
}
