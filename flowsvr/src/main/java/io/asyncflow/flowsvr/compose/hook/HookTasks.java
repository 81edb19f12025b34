package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.TaskType;

/** The tasks that deliver events. */
final class HookTasks {

  static final TaskType TYPE = new TaskType("flow_webhook");

  private static final int LONGEST_ATTEMPT_SECONDS = 60;
  private static final int RETRIES = 20;
  private static final int FIRST_PAUSE_SECONDS = 5;
  private static final int LONGEST_PAUSE_SECONDS = 3_600;
  private static final int MAX_DELIVERY = 100; // servers that stop are no fault of the event
  private static final long ROWS_OF_A_TABLE = 1_000_000;
  private static final int RETENTION_DAYS = 7;

  private HookTasks() {}

  /** The settings of the type, which the first hook creates. */
  static TaskTypeSettings settings() {
    return TaskTypeSettings.named(TYPE.name())
        .withMaxProcessingTime(LONGEST_ATTEMPT_SECONDS)
        .withMaxRetryNum(RETRIES)
        .withRetryInterval(FIRST_PAUSE_SECONDS)
        .withMaxRetryInterval(LONGEST_PAUSE_SECONDS)
        .withLeaseSeconds(LONGEST_ATTEMPT_SECONDS)
        .withMaxDelivery(MAX_DELIVERY)
        .withRollThreshold(ROWS_OF_A_TABLE)
        .withRetentionDays(RETENTION_DAYS);
  }

  /** The stage of a hook's tasks, and the user whose tasks they are. */
  static String stage(long hookId) {
    return "hook-" + hookId;
  }

  /**
   * A delivery of an event to a hook.
   *
   * @param eventId the id in {@code body}
   * @param body the JSON to be sent
   */
  static TaskDraft delivery(long hookId, String eventId, String body) {
    return TaskDraft.of(TYPE, stage(hookId), stage(hookId), body, null)
        .withIdempotencyKey("hook:" + hookId + ":" + eventId);
  }
}
