package io.asyncflow.flowsvr.store;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.lease.HoldFence;
import io.asyncflow.flowsvr.lease.LeaseLostException;
import io.asyncflow.flowsvr.lease.TransitionNotAllowedException;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskQueries;
import io.asyncflow.flowsvr.task.TaskRow;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Who may write under a key: the hold whose report would be accepted now, for that may name what is
 * written here.
 */
@Component
class WriteFence {

  private final TaskQueries tasks;

  WriteFence(TaskQueries tasks) {
    this.tasks = tasks;
  }

  /**
   * Lets through whoever may write under the key.
   *
   * @throws TaskNotFoundException if there is no such task
   * @throws LeaseLostException if this hold has no more to say, or never was
   * @throws TransitionNotAllowedException if the task is final
   */
  void require(StoreKey key, String workerId) {
    TaskId id = TaskId.parse(key.taskId()).orElseThrow(() -> badKey("its task id is none"));
    TaskRow row = tasks.find(id).orElseThrow(() -> new TaskNotFoundException(id));
    HoldFence.require(row, key.epoch(), workerId);
    if (!StoreKey.spelled(row.stage()).equals(key.stage())) {
      throw badKey("this hold is of the stage " + StoreKey.spelled(row.stage()));
    }
  }

  private static FlowException badKey(String why) {
    FieldError error = new FieldError("key", "cannot be written: " + why);
    return new FlowException(
        ErrorCode.INVALID_INPUT, error.field() + " " + error.message(), List.of(error), null);
  }
}
