package io.asyncflow.rules.schedule;

import java.util.OptionalLong;

/** One fire time each interval, by arithmetic on instants: no zone, no drift. */
final class EveryTimes extends FireTimes {

  private static final long HOUR_MS = 3_600_000;

  private final long everyMs;
  private final long anchor;

  EveryTimes(long everyMs, long anchor) {
    if (everyMs < 1) {
      throw new IllegalArgumentException("every: at least 1 ms, not " + everyMs);
    }
    this.everyMs = everyMs;
    this.anchor = anchor;
  }

  @Override
  OptionalLong find(long afterMs) {
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
  public long firesPerHour() {
    return (HOUR_MS - 1) / everyMs + 1;
  }

  @Override
  public String toString() {
    return "every " + everyMs + " ms";
  }
}
