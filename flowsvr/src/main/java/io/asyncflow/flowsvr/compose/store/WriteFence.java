package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.LeaseLostException;
import io.asyncflow.rules.SealRule;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TransitionNotAllowedException;
import org.springframework.stereotype.Component;

/**
 * Checks who may write under a key: only the hold whose report would be accepted now, because that
 * report may name the object.
 */
@Component
class WriteFence {

  private final TaskQueries tasks;
  private final TaskTypes types;

  WriteFence(TaskQueries tasks, TaskTypes types) {
    this.tasks = tasks;
    this.types = types;
  }

  /**
   * Returns if this worker's hold may write under the key.
   *
   * @throws TaskNotFoundException if there is no such task
   * @throws LeaseLostException if this hold may no longer report, or never existed
   * @throws TransitionNotAllowedException if the task is final
   * @throws InvalidFieldException if the key has another stage than the task
   */
  void require(StoreKey key, String workerId) {
    TaskId id =
        TaskId.parse(key.taskId()).orElseThrow(() -> badKey("its first part is not a task id"));
    TaskRow row = tasks.find(id).orElseThrow(() -> new TaskNotFoundException(id));
    HoldFence.require(row, key.epoch(), workerId);
    if (!StoreKey.spelled(row.stage()).equals(key.stage())) {
      throw badKey("this hold is of the stage " + StoreKey.spelled(row.stage()));
    }
  }

  /** Whether objects of the key's type must be sealed. */
  SealRule sealRule(StoreKey key) {
    return types.require(new TaskType(key.taskType())).sealRule();
  }

  private static InvalidFieldException badKey(String why) {
    return new InvalidFieldException("key", "cannot be written: " + why);
  }
}
