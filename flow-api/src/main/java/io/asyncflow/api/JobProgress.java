package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The progress of a job.
 *
 * @param total the number of its children; {@code null} until it is split
 * @param running children that a worker holds
 * @param percent of all children; a running child counts with the progress it has reported; 100
 *     only once all have ended
 * @param rate children that ended per second since the first began to run; {@code null} until one
 *     has ended
 * @param estimatedEnd when the children will have ended, without the merge; epoch milliseconds on
 *     the database's clock; {@code null} while there is no estimate
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobProgress(
    String jobId,
    JobState state,
    Integer total,
    int done,
    int failed,
    int cancelled,
    int running,
    int percent,
    Double rate,
    Long estimatedEnd) {

  private static final int COMPLETE = 100;

  /**
   * The progress that can be told from the job alone: without running children, rate and estimate.
   */
  public static JobProgress of(Job job) {
    int ended = job.done() + job.failed() + job.cancelled();
    int percent = job.total() == null || job.total() == 0 ? 0 : COMPLETE * ended / job.total();
    return new JobProgress(
        job.jobId(),
        job.state(),
        job.total(),
        job.done(),
        job.failed(),
        job.cancelled(),
        0,
        job.state().isFinal() ? COMPLETE : percent,
        null,
        null);
  }
}
