package io.asyncflow.flowsvr.hook;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.OutOfScopeException;
import java.util.Collection;

/** Which hooks a caller reaches: those that are told of nothing beyond its scope. */
final class HookReach {

  private HookReach() {}

  /**
   * @param taskTypes those of which the hook is told; empty for all
   */
  static boolean reaches(Collection<String> taskTypes, Caller caller) {
    try {
      require(taskTypes, caller);
      return true;
    } catch (OutOfScopeException e) {
      return false;
    }
  }

  /**
   * Returns if a hook of these types is told of nothing beyond the caller's scope. A hook is told
   * of all users.
   *
   * @throws OutOfScopeException if it is
   */
  static void require(Collection<String> taskTypes, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    if (taskTypes.isEmpty()) {
      caller.requireAll();
    }
    taskTypes.forEach(caller::requireType);
    caller.requireUser("*");
  }
}
