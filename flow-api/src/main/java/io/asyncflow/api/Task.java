package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A task as the server answers it.
 *
 * @param taskId {@code {number}_{type}_task_{n}}
 * @param status the code of a {@link TaskStatus}
 * @param priority seconds of head start
 * @param orderTime due from this epoch millisecond on; smaller is sooner
 * @param crtRetryNum failures of the current stage
 * @param scheduleLog a JSON document kept as a string
 * @param leaseEpoch counts the holds; a report must name it
 * @param leaseMs how long the lease still lasts, a duration because worker clocks are never
 *     trusted; {@code null} unless the task is executing
 * @param workerId the last holder; {@code null} if there was none
 * @param deliveryCount holds in a row that ended with no accepted report
 * @param traceId one a hold; {@code null} before the first
 * @param progress per cent, as the holder last reported it; {@code null} if it never did
 * @param result what the last stage returned; {@code null} if nothing
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
    Integer progress,
    String result) {

  public TaskStatus taskStatus() {
    return TaskStatus.ofCode(status);
  }
}
