package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.flowsvr.base.system.Sha256;
import io.asyncflow.flowsvr.task.row.KeyOptions;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** A definition of a schedule as it is stored, and the task that it describes. Thread-safe. */
public final class ScheduleDefinitions {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private ScheduleDefinitions() {}

  /** SHA-256 of a complete definition. */
  public static byte[] hash(NewSchedule schedule) {
    return Sha256.of(JSON.writeValueAsBytes(schedule));
  }

  /** The target of a definition as JSON. */
  static String target(NewSchedule schedule) {
    return JSON.writeValueAsString(
        schedule.jobData() != null ? schedule.jobData() : schedule.taskData());
  }

  static NewTask task(String target) {
    return JSON.readValue(target, NewTask.class);
  }

  static NewJob job(String target) {
    return JSON.readValue(target, NewJob.class);
  }

  /**
   * The task that a fire of this schedule creates.
   *
   * @param dueTime epoch ms; {@code null} for now
   */
  public static TaskDraft draft(ScheduleRow row, long fireTime, Long dueTime) {
    NewTask task = row.definition().taskData();
    return new TaskDraft(
        task.userId(),
        ScheduleRules.targetType(row.definition()),
        task.taskStage(),
        task.scheduleLog(),
        task.taskContext(),
        task.priority(),
        null,
        dueTime,
        task.maxRetryNum(),
        task.maxRetryInterval(),
        task.maxUnexpectedRetries(),
        null,
        KeyOptions.PLAIN,
        new FireId(row.id(), fireTime),
        task.workerIds() == null ? Set.of() : Set.copyOf(task.workerIds()),
        null);
  }
}
