package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Collection;
import java.util.List;

/**
 * A task as the API shows it.
 *
 * @param taskId {@code {number}_{type}_task_{n}}
 * @param status the code of a {@link TaskStatus}
 * @param priority seconds of head start in the due order
 * @param orderTime epoch milliseconds from which the task is due; smaller is sooner
 * @param crtRetryNum failed attempts of the current stage
 * @param unexpectedNum unexpected failures of the current stage; {@code null} if they count in
 *     {@code crtRetryNum}
 * @param maxUnexpectedRetries {@code null} if unexpected failures count in {@code crtRetryNum}
 * @param scheduleLog a JSON document kept as a string
 * @param leaseEpoch the number of holds so far; a report must name it
 * @param leaseMs how long the lease still lasts, in milliseconds; a duration, because worker clocks
 *     are not trusted; {@code null} unless the task is executing
 * @param workerId the last holder; {@code null} if there was none
 * @param deliveryCount holds in a row that ended without an accepted report; the release of a task
 *     that was not begun leaves it as it is
 * @param traceId different for every hold; {@code null} before the first
 * @param jobId {@code null} outside jobs
 * @param scheduleId the schedule that created it; {@code null} if none did
 * @param fireTime epoch milliseconds of the schedule's fire that created it; {@code null} if no
 *     schedule did
 * @param progress per cent, from the holder's last heartbeat with a progress; {@code null} if there
 *     was none
 * @param result the result of the last stage; {@code null} if it has none
 * @param workerIds the workers that may hold it, sorted; {@code null} if all may, and in lists and
 *     holds, which do not read them
 * @param copy which copy of a team it is; {@code null} if it is none
 * @param traceParent the W3C {@code traceparent} of the call that created it; {@code null} if that
 *     had none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Task(
    String userId,
    String taskId,
    String taskType,
    String taskStage,
    int status,
    int priority,
    long orderTime,
    int crtRetryNum,
    int maxRetryNum,
    int maxRetryInterval,
    Integer unexpectedNum,
    Integer maxUnexpectedRetries,
    String scheduleLog,
    String taskContext,
    long createTime,
    long modifyTime,
    int leaseEpoch,
    Long leaseMs,
    String workerId,
    int deliveryCount,
    String traceId,
    String jobId,
    String scheduleId,
    Long fireTime,
    Integer progress,
    String result,
    List<String> workerIds,
    Copy copy,
    String traceParent) {

  /** The number of the current or next attempt of the stage, from 1. */
  public int attempt() {
    return crtRetryNum + (unexpectedNum == null ? 0 : unexpectedNum) + 1;
  }

  /** This task with the workers that may hold it; empty for all. */
  public Task withWorkerIds(Collection<String> workers) {
    List<String> sorted = workers.isEmpty() ? null : workers.stream().sorted().toList();
    return with("workerIds", sorted);
  }

  /** This task with another context and another result. */
  public Task withTexts(String newContext, String newResult) {
    return with("taskContext", newContext).with("result", newResult);
  }

  /** This task without what it was given and left behind: its context, result and log. */
  public Task withoutContents() {
    return withTexts(null, null).with("scheduleLog", null);
  }

  private Task with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }

  public TaskStatus taskStatus() {
    return TaskStatus.ofCode(status);
  }
}
