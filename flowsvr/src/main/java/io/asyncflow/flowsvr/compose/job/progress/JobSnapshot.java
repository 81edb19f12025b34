package io.asyncflow.flowsvr.compose.job.progress;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.rules.JobRow;

/**
 * The progress of a job as a server read it last.
 *
 * @param version the version of the job's row
 */
public record JobSnapshot(long version, JobProgress progress) {

  /**
   * The snapshot of a job's row and its running children.
   *
   * @param running the number of children that workers hold
   * @param runningPercent the sum of their reported percentages
   */
  public static JobSnapshot of(JobRow job, int running, long runningPercent) {
    JobPace pace = JobPace.of(job);
    return new JobSnapshot(
        job.version(),
        new JobProgress(
            "" + job.id(),
            job.state(),
            job.total(),
            job.done(),
            job.failed(),
            job.allCancelled(),
            running,
            percent(job, runningPercent),
            pace.rate(),
            pace.estimatedEnd()));
  }

  private static int percent(JobRow job, long runningPercent) {
    if (job.total() == null) {
      return 0;
    }
    boolean isRetried = job.state() == JobState.RETRYING;
    int ended = isRetried ? job.done() : job.done() + job.failed() + job.allCancelled();
    if (ended >= job.total()) {
      return 100;
    }
    return (int) Math.min(99, (100L * ended + runningPercent) / job.total());
  }

  boolean hasEnded() {
    return progress.state().isFinal();
  }

  /**
   * Whether the snapshots are equal for a listener; drift of the rate and of the estimated end is
   * ignored.
   */
  boolean sameAs(JobSnapshot other) {
    return other != null && withoutDrift(progress).equals(withoutDrift(other.progress));
  }

  private static JobProgress withoutDrift(JobProgress p) {
    return new JobProgress(
        p.jobId(),
        p.state(),
        p.total(),
        p.done(),
        p.failed(),
        p.cancelled(),
        p.running(),
        p.percent(),
        null,
        null);
  }
}
