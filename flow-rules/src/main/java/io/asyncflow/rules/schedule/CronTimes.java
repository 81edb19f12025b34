package io.asyncflow.rules.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.OptionalLong;

/**
 * The fire times of a cron expression in a time zone. The expression is only ever given local
 * times; what happens where the offset changes is decided here.
 */
final class CronTimes extends FireTimes {

  /**
   * An expression that finds nothing in so many periods of constant offset, a hundred years and
   * more, never fires.
   */
  private static final int MAX_PERIODS = 400;

  /** From here on an expression must fire once to be taken; any recent time would do. */
  private static final Instant CHECKED_FROM = Instant.parse("2026-01-01T00:00:00Z");

  private final CronFields fields;
  private final CronPattern pattern;
  private final ZoneId zone;
  private final ZoneRules rules;
  private final Kind kind;

  /** The period of the last question, because the next question is mostly of the same. */
  private volatile OffsetPeriod latest;

  private CronTimes(CronFields fields, ZoneId zone) {
    this.fields = fields;
    this.pattern = new CronPattern(fields);
    this.zone = zone;
    this.rules = zone.getRules();
    this.kind = fields.kind();
    this.latest = OffsetPeriod.at(CHECKED_FROM.getEpochSecond(), rules);
  }

  /**
   * Reads the fields.
   *
   * @throws IllegalArgumentException if a field is not understood, or the expression never fires
   */
  static CronTimes of(CronFields fields, ZoneId zone) {
    CronTimes times = new CronTimes(fields, zone);
    if (times.next(CHECKED_FROM.toEpochMilli()).isEmpty()) {
      throw fields.refused("never fires in " + zone);
    }
    return times;
  }

  @Override
  OptionalLong find(long afterMs) {
    // Fire times are full seconds: the first after a millisecond is the first after its second.
    long after = Math.floorDiv(afterMs, 1000L);
    OffsetPeriod period = periodAt(after);
    LocalDateTime shown = period.wall(after);
    LocalDateTime wall = pattern.next(kind == Kind.FIXED ? period.latestShown(shown) : shown);
    for (int i = 0; wall != null && i < MAX_PERIODS; i++) {
      long fire = period.second(wall);
      if (period.isBeforeEnd(fire)) {
        return millis(fire);
      }
      period = period.following(rules);
      if (kind == Kind.INTERVAL) {
        wall = pattern.next(period.firstWall().minusSeconds(1));
      } else if (wall.isBefore(period.firstWall())) { // the clock skips it
        return millis(period.beginSecond());
      }
    }
    return OptionalLong.empty();
  }

  private OffsetPeriod periodAt(long second) {
    OffsetPeriod period = latest;
    if (!period.contains(second)) {
      period = OffsetPeriod.at(second, rules);
      latest = period;
    }
    return period;
  }

  private static OptionalLong millis(long second) {
    return second > Long.MAX_VALUE / 1000 ? OptionalLong.empty() : OptionalLong.of(second * 1000);
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public long firesPerHour() {
    return (pattern.timesOfDay() + 23) / 24;
  }

  @Override
  public String toString() {
    return fields + " in " + zone;
  }
}
