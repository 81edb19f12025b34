package io.asyncflow.flowsvr.create;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.task.NamedObjects;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.rules.TaskId;
import java.util.List;
import org.springframework.stereotype.Component;

/** Which tasks a caller may create. Thread-safe. */
@Component
public class CreateReach {

  private final NamedObjects objects;

  CreateReach(NamedObjects objects) {
    this.objects = objects;
  }

  /**
   * Returns if the caller may create these tasks, as far as they say so themselves. For whose task
   * a key stands is judged where its row is locked, see {@link CreateCall#seenBy}.
   *
   * @param reported the task whose report creates them; {@code null} for none
   * @throws io.asyncflow.flowsvr.access.OutOfScopeException if a type or a user is beyond its scope
   * @throws io.asyncflow.api.FlowException if a context names an object that it may not read
   */
  public void require(List<TaskDraft> drafts, TaskId reported, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    for (TaskDraft draft : drafts) {
      caller.requireType(draft.type().name());
      caller.requireUser(draft.userId());
    }
    objects.require(drafts.stream().map(TaskDraft::context), reported, caller);
  }
}
