package io.asyncflow.flowsvr.compose.schedule.upkeep;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.DutyResult;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore.Late;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.compose.schedule.slice.SchedulesInUse;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Finds schedules that are late, and slices whose epoch is too low for their schedules, which only
 * a partial restore leaves: it raises the epochs of these.
 */
@Component
class ScheduleAudit {

  private static final Logger log = LoggerFactory.getLogger(ScheduleAudit.class);

  private static final Duration LATE = Duration.ofSeconds(60);

  private static final int MOST = 10_000;

  private final ScheduleStore schedules;
  private final SchedulesInUse inUse;
  private final Events events;

  ScheduleAudit(ScheduleStore schedules, SchedulesInUse inUse, Events events) {
    this.schedules = schedules;
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
   * @param late schedules that have been due for more than a minute, of at most 10,000
   * @param raisedSlices slices whose epoch was below those of their schedules
   */
  record Result(int late, int raisedSlices) implements DutyResult {
    @Override
    public boolean hadEffect() {
      return raisedSlices > 0;
    }
  }

  Result runOnce() {
    if (!inUse.inUse()) {
      return new Result(0, 0);
    }
    List<Late> lateOfSlices = schedules.late(LATE, MOST);
    int late = lateOfSlices.stream().mapToInt(Late::schedules).sum();
    if (late > 0) {
      log.warn("{} schedules have been due for more than {} s", late, LATE.toSeconds());
    }
    int raised = (int) lateOfSlices.stream().filter(this::raiseSliceEpoch).count();
    if (raised > 0) {
      events.publish(new SchedulesChanged());
    }
    return new Result(late, raised);
  }

  /** Takes no lock of a schedule, so that those that are locked hold up nothing. */
  private boolean raiseSliceEpoch(Late late) {
    return late.epoch() > late.sliceEpoch()
        && schedules.raiseSliceEpoch(late.slice(), late.epoch());
  }
}
