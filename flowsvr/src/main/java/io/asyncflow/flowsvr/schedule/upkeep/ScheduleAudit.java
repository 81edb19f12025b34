package io.asyncflow.flowsvr.schedule.upkeep;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.duty.DutyResult;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.schedule.fire.JobEnds;
import io.asyncflow.flowsvr.schedule.fire.LastRuns;
import io.asyncflow.flowsvr.schedule.slice.SchedulesInUse;
import io.asyncflow.flowsvr.system.Events;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Finds schedules that stand still, and repairs them: one that waits for the end of a run that has
 * ended, a fire without the end of its job, a slice whose epoch is too low. A kill between two
 * commits or a partial restore leaves them; nothing else does.
 */
@Component
class ScheduleAudit {

  private static final Logger log = LoggerFactory.getLogger(ScheduleAudit.class);

  private static final Duration LATE = Duration.ofSeconds(60);

  /** Jobs that ended longer ago were audited by earlier rounds. */
  private static final Duration HINDSIGHT = Duration.ofMinutes(10);

  private static final int PAGE = 500;
  private static final int MAX_PAGES = 20;

  private final ScheduleStore schedules;
  private final LastRuns lastRuns;
  private final JobStore jobs;
  private final JobEnds jobEnds;
  private final SchedulesInUse inUse;
  private final Events events;

  ScheduleAudit(
      ScheduleStore schedules,
      LastRuns lastRuns,
      JobStore jobs,
      JobEnds jobEnds,
      SchedulesInUse inUse,
      Events events) {
    this.schedules = schedules;
    this.lastRuns = lastRuns;
    this.jobs = jobs;
    this.jobEnds = jobEnds;
    this.inUse = inUse;
    this.events = events;
  }

  @Bean
  Duty scheduleAuditDuty(DutyIntervals every) {
    return Duty.ofLeader("schedule-audit", every.cleaning(), this::runOnce);
  }

  /**
   * What a round found.
   *
   * @param late schedules that have been due for more than a minute
   * @param woken schedules that waited for the end of a run that has ended
   * @param endedJobs ends of jobs that were recorded
   * @param raisedSlices slices whose epoch was below those of their schedules
   */
  record Result(int late, int woken, int endedJobs, int raisedSlices) implements DutyResult {
    @Override
    public boolean hadEffect() {
      return woken + endedJobs + raisedSlices > 0;
    }
  }

  Result runOnce() {
    if (!inUse.inUse()) {
      return new Result(0, 0, 0, 0);
    }
    int ended = jobEnds.record(jobs.endedOfSchedules(HINDSIGHT, PAGE));
    int woken = wakeStanding();
    int late = schedules.countLate(LATE);
    int raised = late == 0 ? 0 : schedules.raiseSliceEpochs();
    if (late > 0) {
      log.warn("{} schedules have been due for more than {} s", late, LATE.toSeconds());
    }
    if (woken + raised > 0) {
      events.publish(new SchedulesChanged());
    }
    return new Result(late, woken, ended, raised);
  }

  private int wakeStanding() {
    int woken = 0;
    long after = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      List<ScheduleRow> standing = schedules.withoutWakeTime(after, PAGE);
      Set<Long> living = lastRuns.living(standing);
      for (ScheduleRow row : standing) {
        woken += !living.contains(row.id()) && schedules.wake(row) ? 1 : 0;
        after = row.id();
      }
      if (standing.size() < PAGE) {
        break;
      }
    }
    return woken;
  }
}
