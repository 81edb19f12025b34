package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Scoped;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.FireRules;

/**
 * A row of {@code t_schedule}.
 *
 * @param version rises with every change by a caller of the API
 * @param fence rises with every write
 * @param definition complete: with the defaults for what the save left out
 * @param rules what the definition says of fires; {@code null} if there is a problem
 * @param problem why the row cannot be understood, which only a change by SQL causes; {@code null}
 *     if it can
 * @param now epoch ms of the database at the time of the read
 */
public record ScheduleRow(
    long id,
    int slice,
    long version,
    long fence,
    long sliceEpoch,
    byte[] bodyHash,
    NewSchedule definition,
    FireRules rules,
    String problem,
    FirePosition position,
    long createTime,
    long modifyTime,
    long now) {

  /** What a schedule creates: a caller sees those whose tasks and jobs it could create itself. */
  public static Scoped targetOf(NewSchedule schedule) {
    if (schedule.taskData() != null) {
      return Scoped.of(schedule.taskData().userId(), type(schedule.taskData().taskType()));
    }
    NewJob job = schedule.jobData();
    if (job == null) { // broken by hand
      return Scoped.EVERYTHING;
    }
    String childType = job.childType() == null ? job.jobType() : job.childType();
    return Scoped.of(job.userId(), type(job.jobType()), type(childType));
  }

  private static String type(String name) {
    return TaskType.parse(name).map(TaskType::name).orElse(name);
  }

  /** Whether the caller could create what the schedule creates. */
  public boolean isSeenBy(Caller caller) {
    return !caller.isScoped() || caller.sees(targetOf(definition));
  }

  public String name() {
    return definition.name();
  }

  /** The id as the API shows it. */
  public String scheduleId() {
    return Long.toString(id);
  }

  public ScheduleState state() {
    return position.state();
  }

  /** The plan of what has come, if the last run lives or not. */
  public FirePlan plan(boolean lastRunLives, long aheadMs) {
    return FirePlan.of(rules, position, lastRunLives, now, aheadMs);
  }
}
