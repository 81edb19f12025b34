package io.asyncflow.flowsvr.schedule.core;

import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireRules;

/**
 * A row of {@code t_schedule}.
 *
 * @param state {@code null} if the row cannot be understood
 * @param version rises with every change by a caller of the API
 * @param fence rises with every write
 * @param definition complete: with the defaults for what the save left out
 * @param rules what the definition says of fires; {@code null} if there is a problem
 * @param problem why the row cannot be understood, which only a change by SQL causes; {@code null}
 *     if it can
 * @param position what only a plan changes
 * @param now epoch ms of the database at the time of the read
 */
public record ScheduleRow(
    long id,
    int slice,
    ScheduleState state,
    long version,
    long fence,
    long sliceEpoch,
    byte[] bodyHash,
    NewSchedule definition,
    FireRules rules,
    String problem,
    Position position,
    Long pauseUntil,
    long createTime,
    long modifyTime,
    long now) {

  /**
   * Where a schedule stands.
   *
   * @param nextFireTime epoch ms; {@code null} if there is none, or if it follows from the end of
   *     the last run
   * @param wakeTime epoch ms; {@code null} if only an end of a run or a save asks for a look
   * @param fireCount fires that created something
   * @param failStreak failed runs in a row
   * @param lastFireTime epoch ms of the last fire that created something by plan; {@code null}
   *     before it
   * @param lastRun the id of the task or the job that it created; {@code null} before it
   * @param lastError {@code null} if the last fire created something and its run did not fail
   */
  public record Position(
      Long nextFireTime,
      Long wakeTime,
      long fireCount,
      int failStreak,
      Long lastFireTime,
      String lastRun,
      String lastError) {}

  public String name() {
    return definition.name();
  }

  /** The id as the API shows it. */
  public String scheduleId() {
    return Long.toString(id);
  }

  public boolean isActive() {
    return state == ScheduleState.ACTIVE;
  }

  /** The plan of what has come, if the last run lives or not. */
  public FirePlan plan(boolean lastRunLives, long aheadMs) {
    return FirePlan.of(
        rules,
        new FirePlan.Position(position.nextFireTime(), position.fireCount(), lastRunLives),
        now,
        aheadMs);
  }
}
