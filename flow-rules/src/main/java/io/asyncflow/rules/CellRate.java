package io.asyncflow.rules;

import java.util.concurrent.TimeUnit;

/**
 * A rate by the generic cell rate algorithm (ITU-T I.371): permits come evenly, and those of a
 * while without use may be taken at once. One number keeps what is spent: the time until which the
 * permits are used. Times are microseconds since 1970 by the database's clock.
 *
 * @param intervalUs between two permits
 * @param burstUs the permits of this time may be taken at once, at least one
 */
public record CellRate(long intervalUs, long burstUs) {

  private static final long SECOND_US = TimeUnit.SECONDS.toMicros(1);
  private static final long MINUTE_US = TimeUnit.MINUTES.toMicros(1);

  /** So many a second; those of a tenth of a second at once. */
  public static CellRate perSecond(int permits) {
    return of(permits, SECOND_US, SECOND_US / 10);
  }

  /** So many a minute; those of a minute at once. */
  public static CellRate perMinute(int permits) {
    return of(permits, MINUTE_US, MINUTE_US);
  }

  private static CellRate of(int permits, long periodUs, long burstUs) {
    long interval = Math.max(1, periodUs / permits);
    return new CellRate(interval, Math.max(interval, burstUs));
  }

  /** The most permits at once. */
  public int most() {
    return (int) Math.min(burstUs / intervalUs, Integer.MAX_VALUE);
  }

  /**
   * From when on new permits are charged. {@code spentUntil} is later than now only if the
   * database's clock was set back since; nothing must wait until the clock has caught up.
   */
  public long chargedFrom(long spentUntil, long now) {
    long idle = now - burstUs;
    return spentUntil > now ? idle : Math.max(spentUntil, idle);
  }

  /** The permits that may be taken now. */
  public int permits(long chargedFrom, long now) {
    return (int) Math.min(Math.max(0, (now - chargedFrom) / intervalUs), Integer.MAX_VALUE);
  }

  /** The time until which the rate is spent when so many permits have been taken. */
  public long spentUntil(long chargedFrom, int permits) {
    return chargedFrom + permits * intervalUs;
  }

  /** Milliseconds until so many permits may be taken, if they may not be taken now. */
  public long waitMs(long chargedFrom, int permits, long now) {
    return (spentUntil(chargedFrom, permits) - now) / 1_000 + 1;
  }
}
