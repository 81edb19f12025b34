package io.asyncflow.flowsvr.task.event.log;

import java.time.LocalDate;

/**
 * The ids of events. Those of a day lie between the day's number times 10^12 and the next day's, so
 * that ids rise over all days and tell their table.
 */
public final class EventIds {

  private static final long PER_DAY = 1_000_000_000_000L;

  private EventIds() {}

  /** The id below all ids of a day. */
  public static long before(LocalDate day) {
    return day.toEpochDay() * PER_DAY;
  }

  /** The day of an id. */
  public static LocalDate dayOf(long id) {
    return LocalDate.ofEpochDay(id / PER_DAY);
  }
}
