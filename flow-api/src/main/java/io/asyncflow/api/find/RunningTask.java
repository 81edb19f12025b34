package io.asyncflow.api.find;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A task that is executing.
 *
 * @param workerId its holder; {@code null} for a client without an id
 * @param holdTime epoch milliseconds
 * @param elapsedMs since the hold
 * @param leaseMs until the lease ends; negative once it has
 * @param hardEndMs until the attempt has taken as long as it may; negative once it has
 * @param beatAgeMs since the last heartbeat; {@code null} if none came yet
 * @param progress per cent; {@code null} if none was told
 * @param jobId {@code null} outside jobs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunningTask(
    String taskId,
    String taskStage,
    String userId,
    String workerId,
    int leaseEpoch,
    long holdTime,
    long elapsedMs,
    long leaseMs,
    long hardEndMs,
    Long beatAgeMs,
    Integer progress,
    String jobId,
    String traceId) {}
