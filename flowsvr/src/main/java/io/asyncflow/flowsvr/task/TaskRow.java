package io.asyncflow.flowsvr.task;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.retry.RetryPolicy;
import io.asyncflow.flowsvr.system.Utf8;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;

/**
 * A row of a task table, as it was read.
 *
 * @param maxRetryNum {@code null} for the type's
 * @param maxRetryInterval seconds; {@code null} for the type's
 * @param workerId the last holder; empty for an old client or none
 * @param traceId of the last hold; empty before the first
 * @param holdTime epoch ms of the last hold
 * @param beatTime epoch ms of the last heartbeat of the last hold; 0 if none came
 * @param leaseEnd epoch ms
 * @param place what it is in a job; {@code null} for a task of its own
 * @param now the database's epoch ms when the row was read
 */
public record TaskRow(
    TaskId id,
    String userId,
    String stage,
    TaskStatus status,
    int priority,
    long orderTime,
    int crtRetryNum,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    int leaseEpoch,
    int reportedEpoch,
    String reportId,
    int deliveryCount,
    String workerId,
    String traceId,
    long holdTime,
    long beatTime,
    long leaseEnd,
    Integer progress,
    long createTime,
    long modifyTime,
    String context,
    String result,
    String scheduleLog,
    JobPlace place,
    long now) {

  /** How long its texts are together, in bytes of UTF-8. */
  public long textBytes() {
    return Utf8.length(context) + Utf8.length(result) + Utf8.length(scheduleLog);
  }

  /** The same at most; what most rows are told by, without a look at each character. */
  public long textBytesAtMost() {
    return 3L * (lengthOf(context) + lengthOf(result) + lengthOf(scheduleLog));
  }

  private static int lengthOf(String text) {
    return text == null ? 0 : text.length();
  }

  /** Whether a worker holds the task and its lease has not run out. */
  public boolean isUnderLiveLease() {
    return status == TaskStatus.EXECUTING && leaseEnd > now;
  }

  /** This row after a report of its epoch was accepted. */
  TaskRow reported(TaskStatus newStatus, int newReportedEpoch, String newReportId) {
    return new TaskRow(
        id,
        userId,
        stage,
        newStatus,
        priority,
        orderTime,
        crtRetryNum,
        maxRetryNum,
        maxRetryInterval,
        leaseEpoch,
        newReportedEpoch,
        newReportId,
        deliveryCount,
        workerId,
        traceId,
        holdTime,
        beatTime,
        leaseEnd,
        progress,
        createTime,
        modifyTime,
        context,
        result,
        scheduleLog,
        place,
        now);
  }

  /**
   * This waiting row after a hold.
   *
   * @param heldAt epoch ms of the hold
   * @param heldUntil epoch ms of the lease's end
   */
  public TaskRow held(String holder, String holdTrace, long heldAt, long heldUntil) {
    return new TaskRow(
        id,
        userId,
        stage,
        TaskStatus.EXECUTING,
        priority,
        orderTime,
        crtRetryNum,
        maxRetryNum,
        maxRetryInterval,
        leaseEpoch + 1,
        reportedEpoch,
        reportId,
        deliveryCount,
        holder,
        holdTrace,
        heldAt,
        0,
        heldUntil,
        null,
        createTime,
        heldAt,
        context,
        result,
        scheduleLog,
        place,
        heldAt);
  }

  public RetryPolicy retryPolicy(TaskTypeConfig type) {
    int maxRetries = maxRetryNum != null ? maxRetryNum : type.maxRetryNum();
    return new RetryPolicy(
        maxRetries, type.retryInterval(), type.maxRetryInterval(), maxRetryInterval);
  }

  /** The task as it is answered on the wire. */
  public Task toTask(TaskTypeConfig type) {
    RetryPolicy retries = retryPolicy(type);
    return new Task(
        userId,
        id.toString(),
        id.type().name(),
        stage,
        status.code(),
        priority,
        orderTime,
        crtRetryNum,
        retries.maxRetries(),
        retries.cap(),
        scheduleLog,
        context,
        createTime,
        modifyTime,
        leaseEpoch,
        status == TaskStatus.EXECUTING ? Math.max(0, leaseEnd - now) : null,
        workerId.isEmpty() ? null : workerId,
        deliveryCount,
        traceId.isEmpty() ? null : traceId,
        place == null ? null : "" + place.jobId(),
        progress,
        result);
  }
}
