package io.asyncflow.flowsvr.event.log;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.time.Duration;
import java.time.LocalDate;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * How long events are kept: makes the tables of the next days, and drops old ones. The day before
 * today is always kept, because it may still be written to.
 */
@Component
public class EventHistory {

  private final EventDayStore days;
  private final EventStore events;
  private final TaskTypes types;
  private final Duration retention;

  EventHistory(
      EventDayStore days,
      EventStore events,
      TaskTypes types,
      @Value("${flow.event.retention:3d}") Duration retention) {
    this.days = days;
    this.events = events;
    this.types = types;
    this.retention = retention.toDays() < 1 ? Duration.ofDays(1) : retention;
  }

  @Bean
  Duty eventHistoryDuty(DutyIntervals every) {
    return Duty.ofCleaning("event-history", every, this::runOnce);
  }

  /**
   * The cursors that there may be.
   *
   * @param oldest the one before all events that are kept
   * @param newest the highest that may have been given out
   */
  public record Cursors(long oldest, long newest) {}

  /** The cursors that there may be now. */
  public Cursors cursors() {
    LocalDate today = EventDayStore.dayOf(events.now());
    return new Cursors(EventIds.before(oldest(today)), events.lastOf(today));
  }

  private LocalDate oldest(LocalDate today) {
    return today.minusDays(retention.toDays());
  }

  /** Returns the number of dropped days. Makes no tables while no type writes events. */
  int runOnce() {
    LocalDate today = EventDayStore.dayOf(events.now());
    boolean isInUse = types.all().stream().anyMatch(TaskTypeConfig::keepsEvents);
    return isInUse ? days.keep(today, retention) : days.dropBefore(oldest(today));
  }
}
