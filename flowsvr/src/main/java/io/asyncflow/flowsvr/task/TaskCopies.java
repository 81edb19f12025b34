package io.asyncflow.flowsvr.task;

import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.List;
import java.util.Set;

/**
 * Records copies of tasks: a retry of a task in a drained table, by an operator or by its job,
 * copies the task and its context, which may refer to objects that the original has stored.
 */
public interface TaskCopies {

  /**
   * Records copies. Call it in the transaction that creates the copies and locks the originals'
   * table against being given up.
   *
   * @param originals the rows that were copied, at least one
   * @param copies the ids of the copies, in the same order
   * @param by the operator or the job that made the copies
   */
  void made(List<TaskRow> originals, List<TaskId> copies, String by);

  /**
   * The copies of a task and, recursively, their copies, whether or not they still exist. A task
   * whose table was given up gets no more copies.
   */
  Set<TaskId> of(TaskId id);
}
