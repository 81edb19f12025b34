package io.asyncflow.flowsvr.due;

import io.asyncflow.rules.TaskType;
import java.util.Map;
import java.util.Set;

/** The holds that wait on this server, as the {@link DueScan} knows them. Thread-safe. */
public interface HoldDemand {

  /**
   * What the holds of a type wait for.
   *
   * @param stages those that they name
   * @param anyStage whether any of them names none, and so takes all
   */
  record Wanted(Set<String> stages, boolean anyStage) {}

  /** What is waited for, of each type for which any hold is parked. */
  Map<TaskType, Wanted> wanted();

  /**
   * Something of the type is due then, and the holds may not know of it.
   *
   * @param inMs 0 if it is due
   */
  void dueIn(TaskType type, long inMs);
}
