package io.asyncflow.flowsvr.schedule;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.OutOfScopeException;
import io.asyncflow.flowsvr.schedule.core.NoSuchScheduleException;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.rules.TaskType;

/** Which schedules a caller reaches: those whose fires create what it could create itself. */
final class ScheduleReach {

  private ScheduleReach() {}

  /**
   * The schedule, if the caller reaches it.
   *
   * @param named as the request names it
   * @throws NoSuchScheduleException if it does not, as if there were no such schedule
   */
  static ScheduleRow require(ScheduleRow row, String named, Caller caller) {
    if (!reaches(row.definition(), caller)) {
      throw new NoSuchScheduleException(named);
    }
    return row;
  }

  private static boolean reaches(NewSchedule schedule, Caller caller) {
    try {
      requireTarget(schedule, caller);
      return true;
    } catch (OutOfScopeException e) {
      return false;
    }
  }

  /**
   * Returns if the caller could create what the schedule creates.
   *
   * @throws OutOfScopeException if a type or the user is beyond its scope
   */
  static void requireTarget(NewSchedule schedule, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    if (schedule.taskData() != null) {
      requireType(schedule.taskData().taskType(), caller);
      caller.requireUser(schedule.taskData().userId());
    } else if (schedule.jobData() != null) {
      NewJob job = schedule.jobData();
      requireType(job.jobType(), caller);
      requireType(job.childType() == null ? job.jobType() : job.childType(), caller);
      caller.requireUser(job.userId());
    } else { // broken by hand
      caller.requireAll();
    }
  }

  private static void requireType(String name, Caller caller) {
    caller.requireType(TaskType.parse(name).map(TaskType::name).orElse(name));
  }

  /**
   * Returns if the caller may change the schedule, which has the name of one that it saves.
   *
   * @throws OutOfScopeException if it does not reach the schedule; names are unique, so it cannot
   *     be as if there were none
   */
  static void requireSaved(ScheduleRow row, Caller caller) {
    if (!reaches(row.definition(), caller)) {
      throw new OutOfScopeException("schedule", row.name());
    }
  }
}
