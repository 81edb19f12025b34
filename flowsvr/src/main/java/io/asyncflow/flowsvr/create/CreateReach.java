package io.asyncflow.flowsvr.create;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskReach;
import java.util.List;
import org.springframework.stereotype.Component;

/** Which tasks a caller may create. Thread-safe. */
@Component
public class CreateReach {

  private final IdempotencyKeyStore keys;
  private final TaskReach tasks;

  CreateReach(IdempotencyKeyStore keys, TaskReach tasks) {
    this.keys = keys;
    this.tasks = tasks;
  }

  /**
   * Returns if the caller may create these tasks. The key of a task may stand for a task of another
   * user of the type, which a create could show, replace or run again.
   *
   * @throws io.asyncflow.flowsvr.access.OutOfScopeException if a type or a user is beyond its scope
   * @throws IdempotencyConflictException if a key stands for a task that the caller does not see
   */
  public void require(List<TaskDraft> drafts, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    for (TaskDraft draft : drafts) {
      caller.requireType(draft.type().name());
      caller.requireUser(draft.userId());
    }
    if (!caller.seesAllUsers()) {
      drafts.stream()
          .filter(draft -> draft.idempotencyKey() != null)
          .forEach(draft -> requireKey(draft, caller));
    }
  }

  private void requireKey(TaskDraft draft, Caller caller) {
    boolean isOfOthers =
        keys.taskOf(draft.type(), draft.idempotencyKey())
            .filter(task -> tasks.exists(task) && !tasks.reaches(task, caller))
            .isPresent();
    if (isOfOthers) {
      throw new IdempotencyConflictException(draft.idempotencyKey());
    }
  }
}
