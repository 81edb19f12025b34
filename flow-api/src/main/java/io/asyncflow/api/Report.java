package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The end of a hold. Each hold gets exactly one accepted report.
 *
 * @param taskId the task
 * @param workerId the worker that held it
 * @param leaseEpoch the epoch of that hold
 * @param outcome the outcome of the run
 * @param reportId makes the report repeatable, at most 64 characters; {@code null} if it will not
 *     be repeated
 * @param taskStage for {@link Outcome#NEXT_STAGE}: the stage to run next
 * @param taskContext for {@link Outcome#NEXT_STAGE}: the context of that stage; {@code null} keeps
 *     the task's context
 * @param priority for {@link Outcome#NEXT_STAGE}: seconds of head start; {@code null} keeps the
 *     task's priority
 * @param result for {@link Outcome#SUCCESS}: at most {@value StoredText#MOST_BYTES_IN_A_ROW} bytes
 *     of UTF-8; a larger result goes into the context store, see {@link StoredText}
 * @param errMsg for {@link Outcome#RETRY} and {@link Outcome#FAIL}: cut at 1,000 characters
 * @param retryAfterMs for {@link Outcome#RETRY}: the delay, instead of the type's
 * @param delayMs for {@link Outcome#SNOOZE}: the delay
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Report(
    String taskId,
    String workerId,
    Integer leaseEpoch,
    Outcome outcome,
    String reportId,
    String taskStage,
    String taskContext,
    Integer priority,
    String result,
    String errMsg,
    Long retryAfterMs,
    Long delayMs) {

  /** A report with only the fields that every report needs. */
  public static Report of(String taskId, String workerId, Integer leaseEpoch, Outcome outcome) {
    return new Report(
        taskId, workerId, leaseEpoch, outcome, null, null, null, null, null, null, null, null);
  }

  public Report withTaskId(String value) {
    return new Report(
        value,
        workerId,
        leaseEpoch,
        outcome,
        reportId,
        taskStage,
        taskContext,
        priority,
        result,
        errMsg,
        retryAfterMs,
        delayMs);
  }

  public Report withReportId(String value) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        value,
        taskStage,
        taskContext,
        priority,
        result,
        errMsg,
        retryAfterMs,
        delayMs);
  }

  /** With the fields of {@link Outcome#NEXT_STAGE}; {@code null} keeps the task's value. */
  public Report withNext(String stage, String context, Integer newPriority) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        reportId,
        stage,
        context,
        newPriority,
        result,
        errMsg,
        retryAfterMs,
        delayMs);
  }

  public Report withResult(String value) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        reportId,
        taskStage,
        taskContext,
        priority,
        value,
        errMsg,
        retryAfterMs,
        delayMs);
  }

  public Report withErrMsg(String value) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        reportId,
        taskStage,
        taskContext,
        priority,
        result,
        value,
        retryAfterMs,
        delayMs);
  }

  public Report withRetryAfterMs(Long value) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        reportId,
        taskStage,
        taskContext,
        priority,
        result,
        errMsg,
        value,
        delayMs);
  }

  public Report withDelayMs(Long value) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        reportId,
        taskStage,
        taskContext,
        priority,
        result,
        errMsg,
        retryAfterMs,
        value);
  }
}
