package io.asyncflow.flowsvr.schedule.core;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.flowsvr.system.Sha256;
import io.asyncflow.flowsvr.task.KeyOptions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.FireTimes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.json.JsonMapper;

/** What follows from a complete definition of a schedule. Thread-safe. */
public final class ScheduleDefinitions {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Parsed expressions: many schedules have the same few. */
  private static final Map<String, FireTimes> CRONS = new ConcurrentHashMap<>();

  private static final int MAX_CRONS = 10_000;

  private ScheduleDefinitions() {}

  /**
   * The fire times of a complete definition.
   *
   * @return {@code null} if each fire follows from the end of the last run
   * @throws IllegalArgumentException if there are none
   */
  public static FireTimes times(NewSchedule schedule) {
    if (schedule.cron() != null) {
      if (CRONS.size() >= MAX_CRONS) {
        CRONS.clear();
      }
      return CRONS.computeIfAbsent(
          schedule.zone() + " " + schedule.cron(),
          key -> FireTimes.cron(schedule.cron(), FireTimes.zone(schedule.zone())));
    }
    return schedule.everyMs() == null
        ? null
        : FireTimes.every(schedule.everyMs(), schedule.anchor());
  }

  /** The rules of a complete definition. */
  public static FireRules rules(long id, NewSchedule schedule) {
    return new FireRules(
        id,
        times(schedule),
        schedule.afterMs(),
        schedule.endTime(),
        schedule.maxFires(),
        schedule.overlap(),
        schedule.catchUp(),
        schedule.catchUpMs(),
        schedule.catchUpLimit(),
        schedule.jitterMs(),
        schedule.pauseAfterFailures(),
        schedule.jobData() != null);
  }

  /**
   * The load of a complete definition: fires an hour times its weight, at least 1. A schedule that
   * fires after its last run counts as one fire each {@code afterMs}.
   */
  static int load(NewSchedule schedule) {
    FireTimes times = times(schedule);
    long perHour =
        times == null ? 3_600_000 / Math.max(1_000, schedule.afterMs()) : times.firesPerHour();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, perHour * schedule.weight()));
  }

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

  /** The task type of the target, or of the split of its jobs. */
  public static TaskType targetType(NewSchedule schedule) {
    String type =
        schedule.jobData() != null ? schedule.jobData().jobType() : schedule.taskData().taskType();
    return TaskType.parse(type).orElseThrow();
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
        targetType(row.definition()),
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
