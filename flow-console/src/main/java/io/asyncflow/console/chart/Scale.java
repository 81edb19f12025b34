package io.asyncflow.console.chart;

/**
 * The vertical axis of a chart, from 0 at the bottom.
 *
 * @param top the value at its upper end
 */
public record Scale(long top) {

  /** Of every chart, in units of its drawing. */
  public static final int HEIGHT = 200;

  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final int[] EVEN = {2, 4, 10};

  /** Beyond a minute durations are read in other units, whose halves are even, too. */
  private static final long[] DURATIONS = {
    MINUTE,
    2 * MINUTE,
    4 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    4 * DAY,
    10 * DAY,
    20 * DAY,
    40 * DAY
  };

  /** A scale whose top and half are numbers that are easily read. */
  public static Scale ofCounts(long highest) {
    for (long unit = 1; ; unit *= 10) {
      for (int step : EVEN) {
        if (step * unit >= highest) {
          return new Scale(step * unit);
        }
      }
    }
  }

  /** The same of milliseconds. */
  public static Scale ofDurations(long highest) {
    if (highest <= 40 * SECOND) {
      return ofCounts(highest);
    }
    for (long top : DURATIONS) {
      if (top >= highest) {
        return new Scale(top);
      }
    }
    return new Scale(highest);
  }

  public long half() {
    return top / 2;
  }

  /** How far below the upper end a value is drawn. */
  int y(long value) {
    return (int) (HEIGHT - Math.round((double) HEIGHT * Math.min(value, top) / top));
  }
}
