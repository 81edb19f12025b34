package io.asyncflow.rules.schedule;

import java.util.OptionalLong;

/** One fire time each interval, by arithmetic on instants: no zone, no drift. */
record EveryTimes(long everyMs, long anchor) implements FireTimes {

  private static final long HOUR_MS = 3_600_000;

  EveryTimes {
    if (everyMs < 1) {
      throw new IllegalArgumentException("every: at least 1 ms, not " + everyMs);
    }
  }

  @Override
  public OptionalLong next(long afterMs) {
    // The difference of the remainders cannot overflow; that of the times can.
    long phase = Math.floorMod(afterMs, everyMs) - Math.floorMod(anchor, everyMs);
    long wait = everyMs - Math.floorMod(phase, everyMs);
    return afterMs > Long.MAX_VALUE - wait ? OptionalLong.empty() : OptionalLong.of(afterMs + wait);
  }

  @Override
  public Kind kind() {
    return Kind.INTERVAL;
  }

  @Override
  public long firesPerHour(long fromMs) {
    return (HOUR_MS - 1) / everyMs + 1;
  }
}
