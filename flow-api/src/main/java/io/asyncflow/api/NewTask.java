package io.asyncflow.api;

/**
 * A task to be created.
 *
 * @param userId who it is for, at most 128 characters
 * @param taskType its type, matched without regard to case
 * @param taskStage the stage to start with, at most 64 characters
 * @param scheduleLog stored as sent; {@code null} for none
 * @param taskContext what the first stage reads, at most 4,096 bytes of UTF-8
 * @param priority seconds of head start, 0 to 31,536,000; {@code null} is 0
 * @param delayMs due so many milliseconds from now; not together with {@code runAt}
 * @param runAt due at this epoch millisecond
 * @param maxRetryNum retries of a stage, 0 for none; {@code null} for the type's
 * @param maxRetryInterval cap of the retry delay in seconds; {@code null} for the type's
 * @param idempotencyKey the same key and body give the same task id; at most 128 printable ASCII
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
    String idempotencyKey) {

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
        key);
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
        idempotencyKey);
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
        idempotencyKey);
  }

  /** Due at this epoch millisecond of the database's clock, and not before. */
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
        idempotencyKey);
  }

  /** So many retries of each stage, 0 for none, instead of the type's. */
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
        idempotencyKey);
  }

  /** The cap of the retry delay, instead of the type's. */
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
        idempotencyKey);
  }
}
