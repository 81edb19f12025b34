package io.asyncflow.flowsvr.queue.create;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.rules.TaskId;

/**
 * What became of one task of a create call.
 *
 * @param id the new task, or the one that stands under the key
 */
public record CreatedTask(TaskId id, CreateOutcome outcome) {

  /** Whether the task waits with the body of this call. */
  boolean isWritten() {
    return switch (outcome) {
      case CREATED, REPLACED, RERUN -> true;
      case EXISTING, KEPT -> false;
    };
  }
}
