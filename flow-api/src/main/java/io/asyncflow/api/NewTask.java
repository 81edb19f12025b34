package io.asyncflow.api;

import java.util.List;

/**
 * A task to be created.
 *
 * @param userId the user that the task is for, at most 128 characters
 * @param taskType its type, matched without regard to case
 * @param taskStage the first stage, at most 64 characters
 * @param scheduleLog stored as sent; {@code null} for none
 * @param taskContext the context of the first stage, at most 4,096 bytes of UTF-8
 * @param priority seconds of head start, 0 to 31,536,000; {@code null} is 0
 * @param delayMs milliseconds from now until the task is due; not together with {@code runAt}
 * @param runAt epoch milliseconds from which the task is due
 * @param maxRetryNum retries of a stage, 0 for none; {@code null} for the type's value
 * @param maxRetryInterval cap of the retry delay in seconds; {@code null} for the type's value
 * @param maxUnexpectedRetries retries of a stage after failures that its handler did not report, 0
 *     for none; {@code null} for the type's value
 * @param idempotencyKey the same key and body give the same task id; at most 128 printable ASCII
 * @param workerIds the 1 to 64 workers that may hold the task; {@code null} for all
 */
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
    List<String> workerIds) {

  /** A task that every worker may hold, with the type's number of unexpected retries. */
  public NewTask(
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
      String idempotencyKey) {
    this(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        null,
        idempotencyKey,
        null);
  }

  public static NewTask of(String taskType, String taskStage, String userId, String taskContext) {
    return new NewTask(
        userId, taskType, taskStage, null, taskContext, null, null, null, null, null, null);
  }

  public NewTask withIdempotencyKey(String key) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        key,
        workerIds);
  }

  public NewTask withPriority(int seconds) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        seconds,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        idempotencyKey,
        workerIds);
  }

  public NewTask withDelayMs(long delay) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delay,
        null,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        idempotencyKey,
        workerIds);
  }

  /** Due from this epoch millisecond on, by the database's clock. */
  public NewTask withRunAt(long epochMs) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        null,
        epochMs,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        idempotencyKey,
        workerIds);
  }

  /** Retries of each stage, 0 for none, instead of the type's value. */
  public NewTask withMaxRetryNum(int retries) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delayMs,
        runAt,
        retries,
        maxRetryInterval,
        maxUnexpectedRetries,
        idempotencyKey,
        workerIds);
  }

  /** The cap of the retry delay in seconds, instead of the type's value. */
  public NewTask withMaxRetryInterval(int seconds) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        seconds,
        maxUnexpectedRetries,
        idempotencyKey,
        workerIds);
  }

  /** Retries of each stage after unexpected failures, 0 for none, instead of the type's value. */
  public NewTask withMaxUnexpectedRetries(int retries) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        retries,
        idempotencyKey,
        workerIds);
  }

  /** The workers that may hold the task, 1 to 64. */
  public NewTask withWorkerIds(List<String> workers) {
    return new NewTask(
        userId,
        taskType,
        taskStage,
        scheduleLog,
        taskContext,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        idempotencyKey,
        List.copyOf(workers));
  }
}
