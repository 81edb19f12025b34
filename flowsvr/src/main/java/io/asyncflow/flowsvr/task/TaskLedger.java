package io.asyncflow.flowsvr.task;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
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
   * A written change of a task's status.
   *
   * @param place the task's role in a job; {@code null} outside jobs
   * @param fire the fire that created the task; {@code null} if no schedule did
   * @param leaseEpoch the epoch of the task's last hold
   * @param result the task's result; {@code null} if it has none
   * @param scheduleLog the log after the change
   */
  record Change(
      TaskId id,
      JobPlace place,
      FireId fire,
      TaskStatus from,
      TaskStatus to,
      int leaseEpoch,
      String result,
      String scheduleLog) {

    /** The change of a transition. */
    static Change of(TaskTransition transition) {
      TaskRow after = transition.after();
      return new Change(
          after.id(),
          after.place(),
          after.fire(),
          transition.before().status(),
          after.status(),
          after.leaseEpoch(),
          after.result(),
          after.scheduleLog());
    }

    /** Whether the task became final, or is final no more. */
    public boolean isOfEnd() {
      return from != to && (from.isFinal() || to.isFinal());
    }
  }

  /**
   * Writes down those of the changes that concern this ledger.
   *
   * @param changes of any tasks, also of tasks that no ledger counts
   * @throws IllegalStateException if a change concerns it and there is no transaction
   */
  void record(List<Change> changes);
}
