package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

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
 * @param workerIds for {@link Outcome#NEXT_STAGE}: the at most 64 workers that may hold the task
 *     from then on; empty for all; {@code null} keeps those that may hold it now
 * @param unexpected for {@link Outcome#RETRY}: {@code true} if the handler did not ask for the
 *     retry, because it threw or ran out of time; counted by {@code maxUnexpectedRetries} where
 *     that is set. {@code null} is {@code false}
 * @param localRetries for {@link Outcome#RETRY} and {@link Outcome#FAIL}: how often the worker has
 *     run the handler again by itself in this hold; {@code null} for never
 * @param creates for {@link Outcome#NEXT_STAGE}, {@link Outcome#SUCCESS} and {@link Outcome#FAIL}:
 *     at most {@value #MOST_CREATES} tasks that are created if the report is accepted, in the same
 *     transaction; {@code null} for none
 * @param traceParent the W3C {@code traceparent} of the tasks in {@code creates}; {@code null} for
 *     that of the task
 * @param begun for {@link Outcome#RELEASE}: {@code false} if the handler was never called, so that
 *     the task keeps its {@link Task#deliveryCount()}. {@code null} is {@code true}
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
    Long delayMs,
    Boolean unexpected,
    Integer localRetries,
    List<String> workerIds,
    List<NewTask> creates,
    String traceParent,
    Boolean begun) {

  /** The most tasks that a report may create. */
  public static final int MOST_CREATES = 100;

  /** A report with only the fields that every report needs. */
  public static Report of(String taskId, String workerId, Integer leaseEpoch, Outcome outcome) {
    return new Report(
        taskId,
        workerId,
        leaseEpoch,
        outcome,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  public Report withTaskId(String value) {
    return with("taskId", value);
  }

  public Report withReportId(String value) {
    return with("reportId", value);
  }

  /** With the fields of {@link Outcome#NEXT_STAGE}; {@code null} keeps the task's value. */
  public Report withNext(String stage, String context, Integer newPriority) {
    return with("taskStage", stage).with("taskContext", context).with("priority", newPriority);
  }

  /** With the workers of {@link Outcome#NEXT_STAGE}; {@code null} keeps those of the task. */
  public Report withWorkerIds(List<String> value) {
    return with("workerIds", value);
  }

  public Report withResult(String value) {
    return with("result", value);
  }

  public Report withErrMsg(String value) {
    return with("errMsg", value);
  }

  public Report withRetryAfterMs(Long value) {
    return with("retryAfterMs", value);
  }

  public Report withDelayMs(Long value) {
    return with("delayMs", value);
  }

  public Report withUnexpected(Boolean value) {
    return with("unexpected", value);
  }

  public Report withLocalRetries(Integer value) {
    return with("localRetries", value);
  }

  /** With tasks that are created together with the acceptance of this report. */
  public Report withCreates(List<NewTask> tasks) {
    return with("creates", tasks.isEmpty() ? null : List.copyOf(tasks));
  }

  /** With the trace of the tasks that it creates; {@code null} for that of the task. */
  public Report withTraceParent(String value) {
    return with("traceParent", value);
  }

  public Report withBegun(Boolean value) {
    return with("begun", value);
  }

  private Report with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
