package io.asyncflow.flowsvr.job.core;

import io.asyncflow.api.TaskStatus;

/** The numbers of a job's children by final status; or their changes, which may be negative. */
public record JobCounts(int done, int failed, int cancelled) {

  public static final JobCounts NONE = new JobCounts(0, 0, 0);

  /** The change that a child's step from one status to another makes. */
  static JobCounts ofChange(TaskStatus from, TaskStatus to) {
    return new JobCounts(
        step(from, to, TaskStatus.SUCCESS),
        step(from, to, TaskStatus.FAILED),
        step(from, to, TaskStatus.CANCELLED));
  }

  private static int step(TaskStatus from, TaskStatus to, TaskStatus counted) {
    return (to == counted ? 1 : 0) - (from == counted ? 1 : 0);
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
