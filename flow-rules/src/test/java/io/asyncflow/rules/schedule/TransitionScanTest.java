package io.asyncflow.rules.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Compares the fire times of random expressions with a {@link ClockScan}, 30 hours before and after
 * each change of an offset that any zone of the database has from 1970 to 2037.
 *
 * <p>{@code -Dasyncflow.dst.expressions=200} tries more expressions a transition; {@code
 * -Dasyncflow.dst.every-zone=true} does not leave out those of zones that change alike; {@code
 * -Dasyncflow.dst.seed=7} tries others.
 */
class TransitionScanTest {

  private static final int EXPRESSIONS = Integer.getInteger("asyncflow.dst.expressions", 20);
  private static final boolean EVERY_ZONE = Boolean.getBoolean("asyncflow.dst.every-zone");
  private static final long SEED = Long.getLong("asyncflow.dst.seed", 1);

  private static final long AROUND = Duration.ofHours(30).toSeconds();

  /** The scan of a fixed time must have seen a clock that was set back before the first fire. */
  private static final long EARLIER = Duration.ofHours(6).toSeconds();

  private long fires;

  @Test
  void firesAroundEachTransitionAreThoseOfAScanByTheMinute() {
    long start = System.nanoTime();
    List<Change> changes = changes(ZoneId.getAvailableZoneIds(), EVERY_ZONE);
    for (Change change : changes) {
      ClockScan scan = change.scan(change.step());
      RandomCrons crons = new RandomCrons(change.seed());
      for (int i = 0; i < EXPRESSIONS; i++) {
        compare(change, crons.minutesNear(change.near(i)), scan);
      }
    }
    report("minute", changes.size(), EXPRESSIONS, start);
    assertThat(changes).hasSizeGreaterThan(1_000);
  }

  @Test
  void firesOfTenZonesAreThoseOfAScanByTheSecond() {
    Set<String> zones =
        Set.of(
            "Europe/Berlin",
            "America/New_York",
            "America/St_Johns", // a minute past midnight
            "Africa/Cairo", // at midnight
            "Africa/Casablanca",
            "Africa/Monrovia", // 44 minutes and 30 seconds
            "Asia/Kathmandu", // 15 minutes
            "Australia/Lord_Howe", // half an hour
            "Antarctica/Troll", // two hours
            "Pacific/Apia"); // a day
    long start = System.nanoTime();
    Set<List<ZoneOffset>> seen = new HashSet<>();
    int scans = 0;
    int expressions = Math.max(3, EXPRESSIONS / 5);
    for (Change change : changes(zones, false)) {
      if (seen.add(change.offsets())) {
        ClockScan scan = change.scan(1);
        RandomCrons crons = new RandomCrons(change.seed());
        for (int i = 0; i < expressions; i++) {
          compare(change, crons.secondsNear(change.near(i)), scan);
        }
        scans++;
      }
    }
    report("second", scans, expressions, start);
    assertThat(scans).isGreaterThan(20);
  }

  private void compare(Change change, String expression, ClockScan scan) {
    FireTimes times = FireTimes.cron(expression, change.zone);
    long at = change.transition.toEpochSecond();
    long[] expected =
        Arrays.stream(scan.fires(new CronMatcher(expression), times.kind()))
            .filter(second -> second > at - AROUND)
            .map(second -> second * 1000)
            .toArray();
    long end = (at + AROUND) * 1000;
    long after = (at - AROUND) * 1000;
    for (int i = 0; i <= expected.length; i++) {
      after = assertNext(change, expression, times, after, i, expected, end);
    }
    fires += expected.length;
    // From anywhere: no fire time depends on which ones were asked for before.
    Random random = new Random(change.seed());
    for (int i = 0; i < 5; i++) {
      long anywhere = end - 1 - (long) (random.nextDouble() * 2 * AROUND * 1000);
      int found = Arrays.binarySearch(expected, anywhere);
      int index = found >= 0 ? found + 1 : -found - 1;
      assertNext(change, expression, times, anywhere, index, expected, end);
    }
  }

  /** The fire time after {@code after}, which must be the given expected one, or after the end. */
  private static long assertNext(
      Change change,
      String expression,
      FireTimes times,
      long after,
      int index,
      long[] expected,
      long end) {
    OptionalLong next = times.next(after);
    long found = next.orElse(Long.MAX_VALUE);
    boolean isRight = index < expected.length ? found == expected[index] : found > end;
    if (!isRight) {
      fail(
          "%s, %s: after %s comes %s, not %s"
              .formatted(
                  times,
                  change.transition,
                  change.shown(after),
                  next.isPresent() ? change.shown(found) : "nothing",
                  index < expected.length ? change.shown(expected[index]) : "one after the scan"));
    }
    return found;
  }

  private void report(String step, int changes, int expressions, long start) {
    System.out.printf(
        Locale.ROOT,
        "by the %s: %,d transitions, %s expressions each, %,d fires, none differs; %.1f s%n",
        step,
        changes,
        expressions,
        fires,
        (System.nanoTime() - start) / 1e9);
  }

  /** Every change of an offset, in each zone or only in the first one that changes so. */
  private static List<Change> changes(Set<String> zones, boolean ofEachZone) {
    Instant end = Instant.parse("2038-01-01T00:00:00Z");
    Set<ZoneOffsetTransition> seen = new HashSet<>(); // equal: local time, offset before and after
    List<Change> changes = new ArrayList<>();
    for (String id : new TreeSet<>(zones)) {
      ZoneId zone = ZoneId.of(id);
      ZoneOffsetTransition next = zone.getRules().nextTransition(Instant.EPOCH);
      while (next != null && next.getInstant().isBefore(end)) {
        if (seen.add(next) || ofEachZone) {
          changes.add(new Change(zone, next));
        }
        next = zone.getRules().nextTransition(next.getInstant());
      }
    }
    return changes;
  }

  private record Change(ZoneId zone, ZoneOffsetTransition transition) {

    long seed() {
      return SEED * 1_000_003 + transition.hashCode();
    }

    List<ZoneOffset> offsets() {
      return List.of(transition.getOffsetBefore(), transition.getOffsetAfter());
    }

    /** A minute, or less where an offset is not one of full minutes. */
    int step() {
      BigInteger step = BigInteger.valueOf(60);
      for (ZoneOffset offset : offsets()) {
        step = step.gcd(BigInteger.valueOf(offset.getTotalSeconds()));
      }
      return step.intValueExact();
    }

    ClockScan scan(int step) {
      long at = transition.toEpochSecond();
      return ClockScan.of(zone.getRules(), at - AROUND - EARLIER, at + AROUND, step);
    }

    /** The local time before the transition or after it. */
    LocalDateTime near(int i) {
      return i % 2 == 0 ? transition.getDateTimeBefore() : transition.getDateTimeAfter();
    }

    String shown(long ms) {
      return Instant.ofEpochMilli(ms).atZone(zone).toString();
    }
  }
}
