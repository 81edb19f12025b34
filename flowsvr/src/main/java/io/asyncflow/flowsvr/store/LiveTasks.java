package io.asyncflow.flowsvr.store;

import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.Optional;
import java.util.Set;

/** How a collector sees the tasks whose objects it may remove. */
interface LiveTasks {

  /** The row of a task as it is now; empty if there is none, or nobody knows. */
  Optional<TaskRow> find(TaskId id);

  /** The copies that retries have made of a task, and theirs, whether or not they are there. */
  Set<TaskId> copiesOf(TaskId id);

  /** Whether there is certainly no such task any more; false where its table is not known. */
  boolean isGone(TaskId id);
}
