package io.asyncflow.flowsvr.schedule.upkeep;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Keeps the history of schedules: makes the tables of the next days ahead, so that no fire waits
 * for DDL, and drops those that are older than the history.
 */
@Component
class FireHistory {

  private final FireStore fires;
  private final ScheduleStore schedules;
  private final PagedDelete pages;
  private final Duration history;

  FireHistory(
      FireStore fires,
      ScheduleStore schedules,
      PagedDelete pages,
      @Value("${flow.schedule.history:7d}") Duration history) {
    this.fires = fires;
    this.schedules = schedules;
    this.pages = pages;
    this.history = history;
  }

  @Bean
  Duty scheduleHistoryDuty(DutyIntervals every) {
    return Duty.ofCleaning("schedule-history", every, this::runOnce)
        .onlyWith(ScheduleStore.SCHEDULES);
  }

  /** Returns the number of dropped days and deleted gaps. */
  int runOnce() {
    return fires.keep(FireStore.dayOf(schedules.now()), history)
        + pages.run(limit -> fires.deleteOldGaps(history, limit));
  }
}
