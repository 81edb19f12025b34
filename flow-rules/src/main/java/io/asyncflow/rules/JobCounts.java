package io.asyncflow.rules;

import io.asyncflow.api.TaskStatus;
import java.util.List;

/** The numbers of a job's children by final status; or their changes, which may be negative. */
public record JobCounts(int done, int failed, int cancelled) {

  public static final JobCounts NONE = new JobCounts(0, 0, 0);

  /** The change that steps of children from one status to another make. */
  static JobCounts ofChanges(List<TaskTransition> changes) {
    return changes.stream()
        .map(
            change ->
                new JobCounts(
                    step(change, TaskStatus.SUCCESS),
                    step(change, TaskStatus.FAILED),
                    step(change, TaskStatus.CANCELLED)))
        .reduce(NONE, JobCounts::plus);
  }

  private static int step(TaskTransition change, TaskStatus counted) {
    return (change.after().status() == counted ? 1 : 0)
        - (change.before().status() == counted ? 1 : 0);
  }

  public JobCounts plus(JobCounts other) {
    return new JobCounts(done + other.done, failed + other.failed, cancelled + other.cancelled);
  }

  public int sum() {
    return done + failed + cancelled;
  }

  @Override
  public String toString() {
    return done + " done, " + failed + " failed, " + cancelled + " cancelled";
  }
}
