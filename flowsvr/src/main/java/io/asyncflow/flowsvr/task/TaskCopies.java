package io.asyncflow.flowsvr.task;

import java.util.Set;

/**
 * Which tasks go on with what another one was given: an operator's retry of a task in a drained
 * table copies it, its context as well, and that may name what the original has stored.
 */
public interface TaskCopies {

  /**
   * The copies of a task, and theirs, whether or not they are there; of a task whose table was
   * given up no more are made.
   */
  Set<TaskId> of(TaskId id);
}
