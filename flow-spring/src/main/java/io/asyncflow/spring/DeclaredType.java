package io.asyncflow.spring;

import io.asyncflow.api.TaskTypeSettings;

/**
 * The settings of a task type that properties declare; {@code null} for those that they leave as
 * they are. {@link TaskTypeSettings} says what they mean.
 */
public record DeclaredType(
    Integer scheduleLimit,
    Integer scheduleInterval,
    Integer maxProcessingTime,
    Integer maxRetryNum,
    Integer retryInterval,
    Integer maxRetryInterval,
    Integer maxUnexpectedRetries,
    Integer leaseSeconds,
    Integer maxDelivery,
    Long rollThreshold,
    Integer retentionDays,
    Integer maxExecuting,
    Integer rateLimit,
    Integer userRateLimit,
    Integer minWorkerVersion,
    Integer paused,
    Integer events,
    Integer sealed) {

  TaskTypeSettings named(String taskType) {
    return new TaskTypeSettings(
        taskType,
        scheduleLimit,
        scheduleInterval,
        maxProcessingTime,
        maxRetryNum,
        retryInterval,
        maxRetryInterval,
        maxUnexpectedRetries,
        leaseSeconds,
        maxDelivery,
        rollThreshold,
        retentionDays,
        maxExecuting,
        rateLimit,
        userRateLimit,
        minWorkerVersion,
        paused,
        events,
        sealed,
        null,
        null);
  }
}
