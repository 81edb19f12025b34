package io.asyncflow.api;

/**
 * The server's answer to the create of one task.
 *
 * @param taskId the task: the new one, or the one that stands under the key
 * @param outcome {@code null} for an outcome that this version does not know
 */
public record CreateResult(String taskId, CreateOutcome outcome) {}
