package io.asyncflow.flowsvr.task;

import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;

/**
 * A task to be created: checked and parsed.
 *
 * @param scheduleLog {@code null} for an empty one
 * @param priority {@code null} for 0; seconds of a head start
 * @param delayMs {@code null} if it is due at once, or at {@code runAt}
 * @param runAt epoch ms; {@code null} if it is due at once, or after {@code delayMs}
 * @param maxRetryNum {@code null} for the type's
 * @param maxRetryInterval seconds; {@code null} for the type's
 * @param idempotencyKey {@code null} for none
 */
public record TaskDraft(
    String userId,
    TaskType type,
    String stage,
    String scheduleLog,
    String context,
    Integer priority,
    Long delayMs,
    Long runAt,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    String idempotencyKey) {

  /** A task that is due at once, with the retries of its type. */
  public static TaskDraft of(
      TaskType type, String stage, String userId, String context, Integer priority) {
    return new TaskDraft(
        userId, type, stage, null, context, priority, null, null, null, null, null);
  }

  /**
   * What asks for the same work as a task that ended; its log names that one.
   *
   * @param idempotencyKey {@code null} for none
   */
  public static TaskDraft copyOf(TaskRow row, String idempotencyKey) {
    return new TaskDraft(
        row.userId(),
        row.id().type(),
        row.stage(),
        "{\"origin\":\"" + row.id() + "\"}",
        row.context(),
        row.priority(),
        null,
        null,
        row.maxRetryNum(),
        row.maxRetryInterval(),
        idempotencyKey);
  }
}
