package io.asyncflow.flowsvr.job.progress;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.job.core.JobRow;

/**
 * A job as a server saw it last.
 *
 * @param version of its row
 */
public record JobSnapshot(long version, JobProgress progress) {

  /**
   * What a look at a job makes known.
   *
   * @param running its children that a worker holds
   * @param runningPercent the sum of how far these say they are
   */
  public static JobSnapshot of(JobRow job, int running, long runningPercent) {
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
            rate(job),
            estimatedEnd(job)));
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

  /** Since its children began to run, and not of the last moments: all servers say the same. */
  private static Double rate(JobRow job) {
    int ended = endedOfRun(job);
    if (job.runTime() == null || ended <= 0) {
      return null;
    }
    long until = job.endTime() == null ? job.now() : job.endTime();
    double perSecond = ended * 1000.0 / Math.max(1, until - job.runTime());
    return Math.round(perSecond * 100) / 100.0;
  }

  /** None yet while a retry lets those that failed wait again, which count as ended until then. */
  private static int endedOfRun(JobRow job) {
    return job.state() == JobState.RETRYING ? 0 : job.ended() - job.runBase();
  }

  private static Long estimatedEnd(JobRow job) {
    int ended = endedOfRun(job);
    boolean runs = !job.state().isFinal() && job.total() != null && job.ended() < job.total();
    if (!runs || job.runTime() == null || ended <= 0) {
      return null;
    }
    long left = job.total() - job.ended();
    return job.now() + left * Math.max(1, job.now() - job.runTime()) / ended;
  }

  boolean hasEnded() {
    return progress.state().isFinal();
  }

  /** Whether it would tell a listener nothing new: a rate and an end that drift are no news. */
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
