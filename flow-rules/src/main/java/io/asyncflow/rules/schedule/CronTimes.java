package io.asyncflow.rules.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.springframework.scheduling.support.CronExpression;

/**
 * The fire times of a cron expression in a time zone. The only class of this module that needs
 * Spring. Spring's expression is only ever given local times: its arithmetic on zoned ones errs
 * where the offset changes.
 */
final class CronTimes implements FireTimes {

  /** An expression that finds nothing for so long never fires. */
  private static final long HORIZON_SECONDS = Duration.ofDays(36_525).toSeconds();

  /** From here on an expression must fire once to be taken; any recent time would do. */
  private static final Instant CHECKED_FROM = Instant.parse("2026-01-01T00:00:00Z");

  private static final long DAY_MS = Duration.ofDays(1).toMillis();

  private final CronFields fields;
  private final CronExpression cron;
  private final ZoneId zone;
  private final ZoneRules rules;
  private final Kind kind;

  /** The period of the last question, because the next question is mostly of the same. */
  private volatile OffsetPeriod latest;

  private CronTimes(CronFields fields, ZoneId zone) {
    this.fields = fields;
    this.cron = parse(fields);
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

  private static CronExpression parse(CronFields fields) {
    try {
      return CronExpression.parse(fields.text());
    } catch (IllegalArgumentException e) {
      throw fields.refusedField(firstFault(fields));
    }
  }

  /** Spring's message does not name the field, so each is read alone. */
  private static int firstFault(CronFields fields) {
    return IntStream.range(0, fields.fields().size())
        .filter(field -> !CronExpression.isValidExpression(fields.alone(field)))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public OptionalLong next(long afterMs) {
    // Fire times are full seconds: the first after a millisecond is the first after its second.
    long after = Math.floorDiv(afterMs, 1000L);
    OffsetPeriod period = periodAt(after);
    LocalDateTime shown = period.wall(after);
    LocalDateTime wall = cron.next(kind == Kind.FIXED ? period.latestShown(shown) : shown);
    while (wall != null) {
      long fire = period.second(wall);
      if (period.isBeforeEnd(fire)) {
        return millis(fire);
      }
      period = period.following(rules);
      if (period.beginSecond() - after > HORIZON_SECONDS) {
        break;
      }
      if (kind == Kind.INTERVAL) {
        wall = cron.next(period.firstWall().minusSeconds(1));
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
  public long firesPerHour(long fromMs) {
    long fires = minutesOfDayFrom(fromMs) * secondsOfMinute();
    return Math.max(1, (fires + 23) / 24);
  }

  /** In how many minutes of the 24 hours after {@code fromMs} it fires. */
  private long minutesOfDayFrom(long fromMs) {
    CronTimes minutes = new CronTimes(fields.atFullMinutes(), zone);
    long count = 0;
    OptionalLong fire = minutes.next(fromMs);
    while (fire.isPresent() && fire.getAsLong() - fromMs <= DAY_MS) {
      count++;
      fire = minutes.next(fire.getAsLong());
    }
    return count;
  }

  /** At how many seconds it fires in a minute in which it fires. */
  private int secondsOfMinute() {
    CronExpression seconds = CronExpression.parse(fields.alone(CronFields.SECOND));
    LocalDateTime minute = LocalDateTime.of(2026, 1, 1, 0, 0);
    int count = 0;
    LocalDateTime second = seconds.next(minute.minusSeconds(1));
    while (second.isBefore(minute.plusMinutes(1))) {
      count++;
      second = seconds.next(second);
    }
    return count;
  }

  @Override
  public String toString() {
    return fields + " in " + zone;
  }
}
