package io.asyncflow.flowsvr.operator;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The record of an operator's act on a task.
 *
 * @param time epoch ms
 * @param newTaskId the copy that a retry made; {@code null} if it made none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AuditEntry(
    long time,
    String act,
    String taskId,
    String operator,
    String reason,
    int statusBefore,
    int statusAfter,
    String newTaskId) {}
