package io.asyncflow.flowsvr.compose.schedule.fire;

import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.flowsvr.compose.schedule.core.Run;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Guard;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Move;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FirePosition.Fired;
import java.util.List;
import java.util.Objects;
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

  /** The run that gives way to the new one; none unless the overlap policy says so. */
  Optional<Run> replaced() {
    boolean replaces =
        lastRunLives && row.definition().overlap() == Overlap.REPLACE && !creations().isEmpty();
    return replaces ? Optional.of(LastRuns.lastRun(row)) : Optional.empty();
  }

  /** Whether it is written by itself: it makes a job, or cancels one, which may be waited for. */
  boolean isOfJobs() {
    return row.rules().makesJobs() || replaced().filter(run -> run.task() == null).isPresent();
  }

  /** Whether nothing has changed the schedule since it was planned. */
  boolean isAsPlanned(Guard now) {
    return now != null
        && now.fence() == row.fence()
        && Objects.equals(now.nextFireTime(), row.position().nextFireTime())
        && now.sliceEpoch() <= epoch;
  }

  /**
   * The write that moves the schedule on.
   *
   * @param created what was created, oldest first
   */
  Move move(List<Fired> created) {
    return new Move(row, row.position().advanced(plan, created), epoch, false);
  }

  /** Whether fires have come that the next plan makes. */
  boolean hasMore() {
    return plan.wakeTime() != null && plan.wakeTime() <= row.now();
  }

  /** The same schedule, which makes nothing now and fires a millisecond after this fire. */
  PlannedSchedule aMillisecondLater() {
    long next = row.position().nextFireTime() + 1;
    return new PlannedSchedule(
        row, new FirePlan(List.of(), List.of(), next, row.now(), false), epoch, lastRunLives);
  }
}
