package io.asyncflow.bench.schedule;

import io.asyncflow.bench.system.TaskSystem.Runner;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/**
 * Something that keeps schedules in the database of the bench and runs a handler at their fire
 * times: flowsvr, a peer. A schedule has a number, which its handler gets. Handlers only tell that
 * they were started.
 */
public interface ScheduleSystem extends AutoCloseable {

  /** Of all cron expressions. */
  ZoneId ZONE = ZoneId.of("UTC");

  /** Its name in the tables. */
  String name();

  /** How it is set up. */
  String conditions();

  /** The number of schedules it takes part with where the others take part with so many. */
  default int share(int schedules) {
    return schedules;
  }

  /**
   * Starts what runs the handlers.
   *
   * @param started is told the number of a schedule as its handler starts; thread-safe
   * @return what ends it again, and waits for that
   */
  Runner run(IntConsumer started) throws Exception;

  /**
   * Saves the schedules {@code from} (included) to {@code to} (excluded), while it runs. Each is a
   * cron expression with one fire time a year.
   *
   * @param fireTime the next fire time, a whole second
   */
  void save(int from, int to, Instant fireTime) throws Exception;

  /**
   * How long after the fire time each run could be held, 0 for one that was made ahead.
   *
   * @return microseconds; empty where the store does not say it
   */
  default Histogram holdable(Instant fireTime) throws Exception {
    return new Histogram(3);
  }

  /** Ends what it keeps running from one round to the next. */
  @Override
  default void close() throws Exception {}

  /**
   * The expression that fires at a second of the year.
   *
   * @param dayOfWeek the last field: {@code *}, or {@code ?} for Quartz
   */
  static String cron(Instant fireTime, String dayOfWeek) {
    ZonedDateTime time = fireTime.atZone(ZONE);
    return "%s %s %s %s %s %s"
        .formatted(
            time.getSecond(),
            time.getMinute(),
            time.getHour(),
            time.getDayOfMonth(),
            time.getMonthValue(),
            dayOfWeek);
  }
}
