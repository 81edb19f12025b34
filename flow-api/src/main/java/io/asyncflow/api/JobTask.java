package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A child of a job.
 *
 * @param index its position in the job, from 0
 * @param taskId {@code null} until it becomes a task
 * @param taskStage the stage to run, or that ran last
 * @param status the code of a {@link TaskStatus}; before it becomes a task, waiting, or cancelled
 *     once its job has ended; {@code null} if its table was dropped
 * @param progress per cent, from the holder's last heartbeat with a progress; {@code null} if there
 *     was none
 * @param result its result; {@code null} if it has none
 * @param errMsg why its last attempt failed; {@code null} if it did not
 * @param costMs how long its last hold took, by the database's clock; {@code null} before the first
 *     has ended
 * @param workerId the worker that holds it, or held it last; of a copy of a team, the worker that
 *     it was given to. {@code null} if there is none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobTask(
    int index,
    String taskId,
    String taskStage,
    Integer status,
    Integer progress,
    String result,
    String errMsg,
    Long costMs,
    String workerId) {

  /** This child with another result. */
  public JobTask withResult(String newResult) {
    return RecordCopy.with(this, "result", newResult);
  }
}
