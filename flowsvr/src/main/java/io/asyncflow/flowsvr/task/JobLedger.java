package io.asyncflow.flowsvr.task;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.List;

/**
 * Keeps jobs consistent with their tasks. All code that writes a status calls it in the same
 * transaction, so that a job's counts never differ from the rows.
 *
 * <p>Lock order: first the rows of tasks by number, then jobs by number. So it is called last.
 */
public interface JobLedger {

  /**
   * A written change of a task's status.
   *
   * @param leaseEpoch the epoch of the task's last hold
   * @param result the task's result; {@code null} if it has none
   * @param scheduleLog the log after the change
   */
  record Change(
      TaskId id,
      JobPlace place,
      TaskStatus from,
      TaskStatus to,
      int leaseEpoch,
      String result,
      String scheduleLog) {

    /**
     * The change of a row of which only the status was written.
     *
     * @param row the row before the change
     */
    public static Change of(TaskRow row, TaskStatus to) {
      return new Change(
          row.id(),
          row.place(),
          row.status(),
          to,
          row.leaseEpoch(),
          row.result(),
          row.scheduleLog());
    }

    /** The change of a transition. */
    static Change of(TaskTransition transition) {
      TaskRow after = transition.after();
      return new Change(
          after.id(),
          after.place(),
          transition.before().status(),
          after.status(),
          after.leaseEpoch(),
          after.result(),
          after.scheduleLog());
    }

    /** Whether it changes a job's counts: a task of a job became final, or is final no more. */
    public boolean counts() {
      return place != null && from != to && (from.isFinal() || to.isFinal());
    }
  }

  /**
   * Updates the jobs for those of the changes that {@link Change#counts() count}.
   *
   * @throws IllegalStateException if there are any, and there is no transaction
   */
  void record(List<Change> changes);
}
