package io.asyncflow.flowsvr.compose.store.upkeep;

import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.Optional;
import java.util.Set;

/** The collector's view of the tasks whose objects it may remove. */
public interface LiveTasks {

  /** The present row of a task; empty if it does not exist or its table is unknown. */
  Optional<TaskRow> find(TaskId id);

  /** The copies that retries have made of a task, transitively, including dropped ones. */
  Set<TaskId> copiesOf(TaskId id);

  /** Whether the task certainly no longer exists; false if its table is unknown. */
  boolean isGone(TaskId id);
}
