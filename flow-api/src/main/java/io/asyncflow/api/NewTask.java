package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A task to be created.
 *
 * @param userId the user that the task is for, at most 128 characters
 * @param taskType its type, matched without regard to case
 * @param taskStage the first stage, at most 64 characters
 * @param scheduleLog stored as sent, without what looks like a secret; {@code null} for none
 * @param taskContext the context of the first stage, at most 4,096 bytes of UTF-8
 * @param priority seconds of head start, 0 to 31,536,000; {@code null} is 0
 * @param delayMs milliseconds from now until the task is due; not together with {@code runAt}
 * @param runAt epoch milliseconds from which the task is due
 * @param maxRetryNum retries of a stage, 0 for none; {@code null} for the type's value
 * @param maxRetryInterval cap of the retry delay in seconds; {@code null} for the type's value
 * @param maxUnexpectedRetries retries of a stage after failures that its handler did not report, 0
 *     for none; {@code null} for the type's value
 * @param idempotencyKey the same key and body give the same task id; at most 128 printable ASCII
 * @param onDuplicate what happens if a task stands under the key; {@code null} is {@link
 *     OnDuplicate#SAME}
 * @param keyMs how many milliseconds the key is remembered, 1,000 to 2,592,000,000 (30 days);
 *     {@code null} for the server's value
 * @param keyUntilDone 1: a key whose task is final counts as free; {@code null} is 0
 * @param workerIds the 1 to 64 workers that may hold the task; {@code null} for all
 * @param traceParent the W3C {@code traceparent} of the span that creates the task; {@code null}
 *     for that of the call. An invalid one counts as {@code null}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NewTask(
    String userId,
    String taskType,
    String taskStage,
    String scheduleLog,
    String taskContext,
    Integer priority,
    Long delayMs,
    Long runAt,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    Integer maxUnexpectedRetries,
    String idempotencyKey,
    OnDuplicate onDuplicate,
    Long keyMs,
    Integer keyUntilDone,
    List<String> workerIds,
    String traceParent) {

  public static NewTask of(String taskType, String taskStage, String userId, String taskContext) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        null,
        taskContext,
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

  public NewTask withIdempotencyKey(String key) {
    return with("idempotencyKey", key);
  }

  /** What happens if a task stands under the key. */
  public NewTask withOnDuplicate(OnDuplicate value) {
    return with("onDuplicate", value);
  }

  /** How long the key is remembered, 1 s to 30 days, in milliseconds. */
  public NewTask withKeyMs(long ms) {
    return with("keyMs", ms);
  }

  /** A key whose task is final counts as free. */
  public NewTask withKeyUntilDone() {
    return with("keyUntilDone", 1);
  }

  public NewTask withTaskType(String value) {
    return with("taskType", value);
  }

  public NewTask withTaskContext(String value) {
    return with("taskContext", value);
  }

  /** The same task without its context and its log. */
  public NewTask withoutContents() {
    return with("taskContext", null).with("scheduleLog", null);
  }

  public NewTask withPriority(int seconds) {
    return with("priority", seconds);
  }

  public NewTask withDelayMs(long delay) {
    return with("delayMs", delay).with("runAt", null);
  }

  /** Due from this epoch millisecond on, by the database's clock. */
  public NewTask withRunAt(long epochMs) {
    return with("delayMs", null).with("runAt", epochMs);
  }

  /** Retries of each stage, 0 for none, instead of the type's value. */
  public NewTask withMaxRetryNum(int retries) {
    return with("maxRetryNum", retries);
  }

  /** The cap of the retry delay in seconds, instead of the type's value. */
  public NewTask withMaxRetryInterval(int seconds) {
    return with("maxRetryInterval", seconds);
  }

  /** Retries of each stage after unexpected failures, 0 for none, instead of the type's value. */
  public NewTask withMaxUnexpectedRetries(Integer retries) {
    return with("maxUnexpectedRetries", retries);
  }

  /**
   * The workers that may hold the task.
   *
   * @param workers 1 to 64; {@code null} for all
   */
  public NewTask withWorkerIds(List<String> workers) {
    return with("workerIds", workers == null ? null : List.copyOf(workers));
  }

  /**
   * The trace that the task belongs to.
   *
   * @param value a W3C {@code traceparent}; {@code null} for that of the call
   */
  public NewTask withTraceParent(String value) {
    return with("traceParent", value);
  }

  private NewTask with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
