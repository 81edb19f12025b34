package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FirePlan;
import java.util.List;
import java.util.Optional;

/**
 * A schedule, and what to do with the fire times that have come.
 *
 * @param row as it was read
 * @param epoch of its slice for this server
 * @param lastRunLives whether its last run lives; false where the rules do not depend on it
 */
record PlannedSchedule(ScheduleRow row, FirePlan plan, long epoch, boolean lastRunLives) {

  /** The fire times that create something. */
  List<Long> creations() {
    return plan.fires().stream()
        .filter(FirePlan.Planned::creates)
        .map(FirePlan.Planned::fireTime)
        .toList();
  }

  /** All fire times of the plan, in order. */
  List<Long> times() {
    return plan.fires().stream().map(FirePlan.Planned::fireTime).toList();
  }

  FireTransaction.NewFire fire(long time) {
    return new FireTransaction.NewFire(row, time, epoch, false);
  }

  /** Whether fires have come that the next plan makes. */
  boolean hasMore() {
    return plan.wakeTime() != null && plan.wakeTime() <= row.now();
  }

  /** The type of the tasks, or of the split of the jobs; none if the row was broken by hand. */
  Optional<TaskType> type() {
    NewTask task = row.definition().taskData();
    NewJob job = row.definition().jobData();
    String name = job != null ? job.jobType() : task != null ? task.taskType() : null;
    return TaskType.parse(name);
  }

  boolean makesJobs() {
    return row.rules().makesJobs();
  }

  /** The same schedule, which makes nothing now and fires a millisecond after this fire. */
  PlannedSchedule aMillisecondLater() {
    long next = row.position().nextFireTime() + 1;
    return new PlannedSchedule(
        row, new FirePlan(List.of(), List.of(), next, row.now(), false), epoch, lastRunLives);
  }
}
