package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A job as the API shows it.
 *
 * @param jobType the task type of its split and its merge, in lower case
 * @param childType the task type of its children, in lower case
 * @param priority seconds of head start in the due order
 * @param window the most children that are tasks without having ended; {@code null} for no limit
 * @param scheduleId the schedule that created it; {@code null} if none did
 * @param fireTime of the schedule's fire that created it; {@code null} if no schedule did
 * @param total the number of its children; {@code null} until it is split
 * @param done children that succeeded
 * @param failed children that failed for good
 * @param cancelled children that were cancelled; once the job has ended, this includes children
 *     that never became tasks
 * @param splitTaskId the task that splits it, or that did so last; {@code null} without a split
 * @param mergeTaskId the task that merges it, or that did so last; {@code null} until there is one
 * @param result the result of the merge; {@code null} if it has none
 * @param errMsg why it failed; {@code null} if it did not
 * @param createTime epoch milliseconds, as are the other times
 * @param endTime {@code null} until it has ended
 * @param paused {@code true} while it is paused; {@code null} otherwise
 * @param merge whether a merge combines the results of its children
 * @param team its team, without the context; {@code null} if it is no team
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
    Integer window,
    String scheduleId,
    Long fireTime,
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
    Long endTime,
    Boolean paused,
    boolean merge,
    Team team) {

  /** This job with another result. */
  public Job withResult(String newResult) {
    return RecordCopy.with(this, "result", newResult);
  }
}
