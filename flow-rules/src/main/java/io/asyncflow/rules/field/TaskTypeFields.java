package io.asyncflow.rules.field;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.rules.TaskType;
import java.util.Optional;

/** The settings of a task type that is saved. */
public final class TaskTypeFields {

  private static final long MAX_AGE_MS = 60_000;

  private TaskTypeFields() {}

  /**
   * Reads the settings; they are valid only if {@code in} has no invalid field afterwards.
   *
   * @return with the name as it was spelled; {@code null} keeps a value
   */
  public static TaskTypeSettings settings(FieldSource in) {
    String name = in.text("taskType").required().as(TaskTypeFields::spelling, TaskType.RULE);
    TaskFields.refuseReserved(in, "taskType", TaskType.parse(name).orElse(null));
    return new TaskTypeSettings(
        name,
        TaskTypeRanges.SCHEDULE_LIMIT.read(in, "scheduleLimit").asInteger(),
        TaskTypeRanges.SCHEDULE_INTERVAL.read(in, "scheduleInterval").asInteger(),
        TaskTypeRanges.MAX_PROCESSING_TIME.read(in, "maxProcessingTime").asInteger(),
        TaskTypeRanges.MAX_RETRY_NUM.read(in, "maxRetryNum").asInteger(),
        TaskTypeRanges.RETRY_INTERVAL.read(in, "retryInterval").asInteger(),
        TaskTypeRanges.MAX_RETRY_INTERVAL.read(in, "maxRetryInterval").asInteger(),
        TaskTypeRanges.MAX_UNEXPECTED_RETRIES.read(in, "maxUnexpectedRetries").asInteger(),
        TaskTypeRanges.LEASE_SECONDS.read(in, "leaseSeconds").asInteger(),
        TaskTypeRanges.MAX_DELIVERY.read(in, "maxDelivery").asInteger(),
        TaskTypeRanges.ROLL_THRESHOLD.read(in, "rollThreshold").asLong(),
        TaskTypeRanges.RETENTION_DAYS.read(in, "retentionDays").asInteger(),
        TaskTypeRanges.MAX_EXECUTING.read(in, "maxExecuting").asInteger(),
        TaskTypeRanges.RATE_LIMIT.read(in, "rateLimit").asInteger(),
        TaskTypeRanges.USER_RATE_LIMIT.read(in, "userRateLimit").asInteger(),
        TaskTypeRanges.MIN_WORKER_VERSION.read(in, "minWorkerVersion").asInteger(),
        TaskTypeRanges.PAUSED.read(in, "paused").asInteger(),
        TaskTypeRanges.EVENTS.read(in, "events").asInteger(),
        TaskTypeRanges.SEALED.read(in, "sealed").asInteger(),
        null,
        null);
  }

  /** How old a list of types may be, in milliseconds. */
  public static int maxAgeMs(FieldSource in) {
    return in.number("maxAgeMs").between(0, MAX_AGE_MS).or(0);
  }

  /** The name as it was spelled, if it is a valid type name. */
  private static Optional<String> spelling(String name) {
    return TaskType.parse(name).map(type -> name);
  }
}
