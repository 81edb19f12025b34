package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A child of a job.
 *
 * @param index its place in the job, from 0
 * @param taskId {@code null} as long as it is no task yet
 * @param taskStage the stage to run, or that ran last
 * @param status the code of a {@link TaskStatus}; of one that is no task yet, waiting, or cancelled
 *     once its job has ended; {@code null} if its table was dropped
 * @param progress per cent, as the holder last reported it; {@code null} if it never did
 * @param result what it returned; {@code null} if nothing
 * @param errMsg why its last attempt failed; {@code null} if it did not
 * @param costMs how long its last hold took, by the database's clock; {@code null} before the first
 *     has ended
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
    Long costMs) {}
