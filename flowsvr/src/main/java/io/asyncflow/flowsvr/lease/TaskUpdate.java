package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.task.TaskId;

/**
 * A partial update as clients send it that know no leases; {@code null} leaves a field alone.
 *
 * @param orderTime epoch ms; wins over {@code priority}
 */
public record TaskUpdate(
    TaskId id,
    TaskStatus status,
    String taskStage,
    String taskContext,
    String scheduleLog,
    Integer priority,
    Long orderTime,
    Integer crtRetryNum,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    String userId) {}
