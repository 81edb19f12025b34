package io.asyncflow.flowsvr.queue.due;

import io.asyncflow.rules.TaskType;
import java.util.Map;
import java.util.Set;

/**
 * The unanswered holds of this server, as the {@link DueScan} sees them. Implementations are
 * thread-safe.
 */
public interface HoldDemand {

  /**
   * The stages that the holds of a type wait for.
   *
   * @param stages the stages that holds name
   * @param anyStage whether a hold names none and so takes tasks of any stage
   * @param paused stages of which no hold gets tasks
   */
  record Wanted(Set<String> stages, boolean anyStage, Set<String> paused) {
    static final Wanted NOTHING = new Wanted(Set.of(), false, Set.of());
  }

  /** The demand of each type that has unanswered holds. */
  Map<TaskType, Wanted> wanted();

  /** The workers of the unanswered holds of a type; asked for only if the type has lanes. */
  Set<String> workers(TaskType type);

  /**
   * Tells the holds of a type that a task is due then.
   *
   * @param inMs milliseconds until the task is due; 0 if it is
   */
  void dueIn(TaskType type, long inMs);
}
