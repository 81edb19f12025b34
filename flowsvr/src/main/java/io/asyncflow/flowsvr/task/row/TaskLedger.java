package io.asyncflow.flowsvr.task.row;

import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.List;

/**
 * Keeps something consistent with the tasks that it {@linkplain TaskRow#isLedgered counts}: jobs,
 * for example. All code that ends a hold of such a task, or sets its status by hand, tells all
 * ledgers in the same transaction, so that what they keep never differs from the rows.
 *
 * <p>Lock order: first the rows of tasks by number, then what the ledgers keep. So they are told
 * last, in the order of their beans ({@link org.springframework.core.annotation.Order}). A create
 * that renews tasks under their keys is the exception: it tells them before it locks or inserts
 * rows of further tables, or writes the report that it belongs to. A deadlock with that ends in a
 * repeat of one of the transactions.
 */
public interface TaskLedger {

  /** The place of the ledger of jobs in the order; it locks jobs by number. */
  int JOBS = 1;

  /**
   * Writes down those of the changes that concern this ledger.
   *
   * @param changes written ones, of any tasks, also of tasks that no ledger counts
   * @throws IllegalStateException if a change concerns it and there is no transaction
   */
  void record(List<TaskTransition> changes);
}
