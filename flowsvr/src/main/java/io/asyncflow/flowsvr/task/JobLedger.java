package io.asyncflow.flowsvr.task;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.List;

/**
 * Keeps what jobs know of their tasks. Whatever writes a status tells it, in the transaction that
 * does, so that a job's counts and the rows never differ.
 *
 * <p>Lock order: the rows of tasks by their numbers, and then jobs by theirs. So it is told last.
 */
public interface JobLedger {

  /**
   * A status that was written.
   *
   * @param leaseEpoch the task's last hold
   * @param result what the task brought; {@code null} if nothing
   * @param scheduleLog as it is now
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
     * The change of a row whose status alone was written.
     *
     * @param row as it was before
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

    /** What a transition changes. */
    static Change of(TaskTransition to) {
      TaskRow after = to.after();
      return new Change(
          after.id(),
          after.place(),
          to.before().status(),
          after.status(),
          after.leaseEpoch(),
          after.result(),
          after.scheduleLog());
    }

    /** Whether it is of a job's task that became final, or is no more. */
    public boolean counts() {
      return place != null && from != to && (from.isFinal() || to.isFinal());
    }
  }

  /**
   * Counts those of the changes that {@link Change#counts() count}.
   *
   * @throws IllegalStateException if there are any, and no transaction that they are part of
   */
  void record(List<Change> changes);
}
