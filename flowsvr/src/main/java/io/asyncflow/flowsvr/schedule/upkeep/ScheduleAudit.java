package io.asyncflow.flowsvr.schedule.upkeep;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.duty.DutyResult;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobStore.Ended;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore.Late;
import io.asyncflow.flowsvr.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.schedule.fire.LateEnds;
import io.asyncflow.flowsvr.schedule.slice.SchedulesInUse;
import io.asyncflow.flowsvr.system.Events;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
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

  /** A transaction commits the end of a job at most so long after the time that it writes. */
  private static final Duration COMMIT = Duration.ofMinutes(10);

  private static final int PAGE = 500;
  private static final int MAX_PAGES = 20;

  private final ScheduleStore schedules;
  private final JobStore jobs;
  private final LateEnds lateEnds;
  private final SchedulesInUse inUse;
  private final Events events;
  private final Duration history;

  /** How far the ends of the jobs of each type were looked at. One thread runs the rounds. */
  private final Map<String, Ended> lastEnded = new HashMap<>();

  private long lastStanding;

  ScheduleAudit(
      ScheduleStore schedules,
      JobStore jobs,
      LateEnds lateEnds,
      SchedulesInUse inUse,
      Events events,
      @Value("${flow.schedule.history:7d}") Duration history) {
    this.schedules = schedules;
    this.jobs = jobs;
    this.lateEnds = lateEnds;
    this.inUse = inUse;
    this.events = events;
    this.history = history;
  }

  @Bean
  Duty scheduleAuditDuty(DutyIntervals every) {
    return Duty.ofLeader("schedule-audit", every.cleaning(), this::runOnce);
  }

  /**
   * What a round found.
   *
   * @param late schedules that have been due for more than a minute, of at most 10,000
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
    int ended = jobs.types().stream().mapToInt(this::recordEnds).sum();
    int woken = wakeStanding();
    List<Late> lateOfSlices = schedules.late(LATE, PAGE * MAX_PAGES);
    int late = lateOfSlices.stream().mapToInt(Late::schedules).sum();
    if (late > 0) {
      log.warn("{} schedules have been due for more than {} s", late, LATE.toSeconds());
    }
    int raised = (int) lateOfSlices.stream().filter(this::raiseSliceEpoch).count();
    if (woken + raised > 0) {
      events.publish(new SchedulesChanged());
    }
    return new Result(late, woken, ended, raised);
  }

  /**
   * Looks at the jobs of a type that have ended, in the order of their ends: first at all that
   * ended within the history, then at those that ended since, up to {@value #PAGE} × {@value
   * #MAX_PAGES} in a round; older fires have no row in which an end could be recorded. It passes
   * none: it goes back to all ends of which the commit may have come after the last look. So an end
   * that a kill left is found when the new leader has looked at the history, and any other in the
   * round in which it is read, which is the next one if no more jobs than that end in ten minutes.
   */
  private int recordEnds(String type) {
    long now = schedules.now();
    Ended last = lastEnded.getOrDefault(type, new Ended(0, now - history.toMillis(), false));
    int recorded = 0;
    boolean isLast = false;
    for (int page = 0; page < MAX_PAGES && !isLast; page++) {
      List<Ended> ended = jobs.endedAfter(type, last, PAGE);
      recorded +=
          lateEnds.recordMissing(ended.stream().filter(Ended::ofSchedule).map(Ended::id).toList());
      isLast = ended.size() < PAGE;
      last = ended.isEmpty() ? last : ended.get(ended.size() - 1);
    }
    long settled = now - COMMIT.toMillis();
    lastEnded.put(type, last.endTime() < settled ? last : new Ended(0, settled, false));
    return recorded;
  }

  /** Takes no lock of a schedule, so that those that are locked hold up nothing. */
  private boolean raiseSliceEpoch(Late late) {
    return late.epoch() > late.sliceEpoch()
        && schedules.raiseSliceEpoch(late.slice(), late.epoch());
  }

  /**
   * Looks at the next {@value #PAGE} × {@value #MAX_PAGES} schedules; at the end it begins anew.
   */
  private int wakeStanding() {
    int woken = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      List<ScheduleRow> standing = schedules.withoutWakeTime(lastStanding, PAGE);
      woken += lateEnds.wake(standing.stream().filter(row -> row.position().isActive()).toList());
      if (standing.size() < PAGE) {
        lastStanding = 0;
        break;
      }
      lastStanding = standing.get(standing.size() - 1).id();
    }
    return woken;
  }
}
