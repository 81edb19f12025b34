package io.asyncflow.flowsvr.compose.job.progress;

import io.asyncflow.api.JobState;
import io.asyncflow.rules.JobRow;

/**
 * How fast the children of a job end. It is no recent rate, so that all servers compute the same.
 *
 * @param rate children a second since the children began to run; {@code null} until one has ended
 * @param estimatedEnd of the children, epoch ms; {@code null} while there is no estimate
 */
public record JobPace(Double rate, Long estimatedEnd) {

  private static final JobPace UNKNOWN = new JobPace(null, null);

  public static JobPace of(JobRow job) {
    int ended = endedOfRun(job);
    if (job.runTime() == null || ended <= 0) {
      return UNKNOWN;
    }
    long end = job.endTime() == null ? job.now() : job.endTime();
    long ran = Math.max(1, end - job.runTime());
    double perSecond = ended * 1000.0 / ran;
    boolean runs = !job.state().isFinal() && job.total() != null && job.ended() < job.total();
    return new JobPace(
        Math.round(perSecond * 100) / 100.0,
        runs ? job.now() + (job.total() - job.ended()) * ran / ended : null);
  }

  /**
   * The number of ended children of the present run. During {@code RETRYING} it is 0, because
   * children to be retried still count as ended.
   */
  private static int endedOfRun(JobRow job) {
    return job.state() == JobState.RETRYING ? 0 : job.ended() - job.runBase();
  }
}
