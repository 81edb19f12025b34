package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A job as the server answers it.
 *
 * @param jobType the task type of its split and its merge, in lower case
 * @param childType the task type of its children, in lower case
 * @param priority seconds of head start
 * @param total its children; {@code null} until it is split
 * @param done children that succeeded
 * @param failed children that failed for good
 * @param cancelled children that were cancelled; once the job has ended, so are those that never
 *     became tasks
 * @param splitTaskId the task that splits it, or did last
 * @param mergeTaskId the task that merges it, or did last; {@code null} until there is one
 * @param result what the merge returned; {@code null} if nothing
 * @param errMsg why it failed; {@code null} if it did not
 * @param createTime epoch milliseconds, as the other times
 * @param endTime {@code null} until it has ended
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Job(
    String jobId,
    String userId,
    String jobType,
    String childType,
    JobState state,
    FailurePolicy failurePolicy,
    int priority,
    Integer total,
    int done,
    int failed,
    int cancelled,
    String splitTaskId,
    String mergeTaskId,
    String result,
    String errMsg,
    long createTime,
    long modifyTime,
    Long endTime) {}
