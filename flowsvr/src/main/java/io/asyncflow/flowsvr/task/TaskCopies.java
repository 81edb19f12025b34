package io.asyncflow.flowsvr.task;

import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.List;
import java.util.Set;

/**
 * Which tasks go on with what another one was given: a retry of a task in a drained table, by an
 * operator or of its job, copies it, its context as well, and that may name what the original has
 * stored.
 */
public interface TaskCopies {

  /**
   * Puts copies on record; for the transaction that makes them and keeps the table of the originals
   * from being given up.
   *
   * @param originals as they were copied, at least one
   * @param copies of them, in the same order
   * @param by who made the copies
   */
  void made(List<TaskRow> originals, List<TaskId> copies, String by);

  /**
   * The copies of a task, and theirs, whether or not they are there; of a task whose table was
   * given up no more are made.
   */
  Set<TaskId> of(TaskId id);
}
