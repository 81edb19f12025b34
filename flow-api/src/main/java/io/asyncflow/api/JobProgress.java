package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How far a job is.
 *
 * @param total its children; {@code null} until it is split
 * @param running children that a worker holds
 * @param percent of all children, those that are under way by what they say of themselves; 100 only
 *     once all have ended
 * @param rate children that end in a second, since they began to run; {@code null} until one has
 * @param estimatedEnd epoch milliseconds on the database's clock, of the children and without the
 *     merge; {@code null} while nobody can know
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

  private static final int ALL = 100;

  /** What a job itself says: nothing of what runs just now, and of no rate. */
  public static JobProgress of(Job job) {
    int ended = job.done() + job.failed() + job.cancelled();
    int percent = job.total() == null || job.total() == 0 ? 0 : ALL * ended / job.total();
    return new JobProgress(
        job.jobId(),
        job.state(),
        job.total(),
        job.done(),
        job.failed(),
        job.cancelled(),
        0,
        job.state().isFinal() ? ALL : percent,
        null,
        null);
  }
}
