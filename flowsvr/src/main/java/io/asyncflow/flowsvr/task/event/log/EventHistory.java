package io.asyncflow.flowsvr.task.event.log;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
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

  private final EventStore events;
  private final TaskTypes types;
  private final Duration retention;

  EventHistory(
      EventStore events, TaskTypes types, @Value("${flow.event.retention:3d}") Duration retention) {
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
    LocalDate today = EventStore.dayOf(events.now());
    return new Cursors(EventIds.before(oldest(today)), events.lastOf(today));
  }

  private LocalDate oldest(LocalDate today) {
    return today.minusDays(retention.toDays());
  }

  /** Returns the number of dropped days. Makes no tables while no type writes events. */
  int runOnce() {
    boolean isInUse = types.all().stream().anyMatch(TaskTypeConfig::keepsEvents);
    return isInUse
        ? events.keep(retention)
        : events.dropBefore(oldest(EventStore.dayOf(events.now())));
  }
}
