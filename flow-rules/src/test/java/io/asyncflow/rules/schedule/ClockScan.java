package io.asyncflow.rules.schedule;

import io.asyncflow.rules.schedule.FireTimes.Kind;
import java.time.Instant;
import java.time.LocalDate;
import java.time.zone.ZoneRules;
import java.util.stream.LongStream;

/**
 * What a wall clock shows, looked at in equal steps of real time. It defines what both kinds of
 * fire times mean, without a word on transitions, gaps or overlaps: all it asks of the zone is its
 * offset at an instant.
 */
final class ClockScan {

  private static final int DAY = 86_400;

  /** More days than a scan of three days can show, even if the clock skips one. */
  private static final int DAYS = 8;

  private final int step;
  private final long[] seconds;

  /** A day before all that the clock shows. */
  private final long firstDay;

  /** What the clock shows, in steps since the first day. */
  private final int[] shown;

  private ClockScan(int step, long[] seconds, long firstDay, int[] shown) {
    this.step = step;
    this.seconds = seconds;
    this.firstDay = firstDay;
    this.shown = shown;
  }

  /**
   * Looks at the clock.
   *
   * @param from epoch second
   * @param to epoch second, three days later at most
   * @param step seconds; whatever the clock shows must be a multiple of it
   */
  static ClockScan of(ZoneRules rules, long from, long to, int step) {
    long firstDay = Math.floorDiv(from, (long) DAY) - 2;
    long[] seconds = new long[Math.toIntExact((to - from) / step) + 1];
    int[] shown = new int[seconds.length];
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] = from + (long) i * step;
      int offset = rules.getOffset(Instant.ofEpochSecond(seconds[i])).getTotalSeconds();
      int wall = (int) (seconds[i] + offset - firstDay * DAY);
      if (wall % step != 0) {
        throw new IllegalArgumentException("the clock shows no multiple of " + step + " s");
      }
      shown[i] = wall / step;
    }
    return new ClockScan(step, seconds, firstDay, shown);
  }

  /** The fire times of an expression, in epoch seconds, but for those of the first look. */
  long[] fires(CronMatcher cron, Kind kind) {
    boolean[] matching = matching(cron);
    return kind == Kind.FIXED ? fixed(matching) : interval(matching);
  }

  /** An instant fires if the clock then shows a time that matches. */
  private long[] interval(boolean[] matching) {
    LongStream.Builder fires = LongStream.builder();
    for (int i = 1; i < shown.length; i++) {
      if (matching[shown[i]]) {
        fires.add(seconds[i]);
      }
    }
    return fires.build().toArray();
  }

  /** A local time that matches fires at the first instant at which the clock shows it or more. */
  private long[] fixed(boolean[] matching) {
    LongStream.Builder fires = LongStream.builder();
    int latest = shown[0];
    for (int i = 1; i < shown.length; i++) {
      boolean matches = false;
      for (; latest < shown[i]; latest++) {
        matches |= matching[latest + 1];
      }
      if (matches) {
        fires.add(seconds[i]);
      }
    }
    return fires.build().toArray();
  }

  /** Which local times match, in steps since the first day. */
  private boolean[] matching(CronMatcher cron) {
    int stepsOfDay = DAY / step;
    boolean[] times = new boolean[stepsOfDay];
    for (int i = 0; i < stepsOfDay; i++) {
      times[i] = cron.matchesTime(i * step);
    }
    boolean[] matching = new boolean[DAYS * stepsOfDay];
    for (int day = 0; day < DAYS; day++) {
      if (cron.matchesDay(LocalDate.ofEpochDay(firstDay + day))) {
        System.arraycopy(times, 0, matching, day * stepsOfDay, stepsOfDay);
      }
    }
    return matching;
  }
}
