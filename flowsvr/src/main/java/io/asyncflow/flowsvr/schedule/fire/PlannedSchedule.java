package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.rules.schedule.FirePlan;
import java.util.List;

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

  /** The fire times that are skipped. */
  List<Long> skips() {
    return plan.fires().stream()
        .filter(fire -> !fire.creates())
        .map(FirePlan.Planned::fireTime)
        .toList();
  }

  /** Whether fires have come that the next plan makes. */
  boolean hasMore() {
    return plan.wakeTime() != null && plan.wakeTime() <= row.now();
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
