package io.asyncflow.flowsvr.create;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.task.TaskDraft;
import java.util.List;
import org.springframework.stereotype.Component;

/** Which tasks a caller may create. Thread-safe. */
@Component
public class CreateReach {

  /**
   * Returns if the caller may create these tasks, as far as they say so themselves. For whose task
   * a key stands is judged where its row is locked, see {@link CreateCall#seenBy}.
   *
   * @throws io.asyncflow.flowsvr.access.OutOfScopeException if a type or a user is beyond its scope
   */
  public void require(List<TaskDraft> drafts, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    for (TaskDraft draft : drafts) {
      caller.requireType(draft.type().name());
      caller.requireUser(draft.userId());
    }
  }
}
