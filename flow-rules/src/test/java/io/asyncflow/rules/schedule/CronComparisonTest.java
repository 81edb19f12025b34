package io.asyncflow.rules.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * Compares expressions of public crontabs and of pages about cron with what Quartz and cron-utils
 * make of them. Where they differ, {@code differences.tsv} says so, and why.
 *
 * <p>The two days around a change of the clocks are left out: what happens there is a choice of
 * each, and ours is held by {@link TransitionScanTest}.
 */
class CronComparisonTest {

  private static final List<ZoneId> ZONES =
      List.of(
          ZoneId.of("Europe/Berlin"),
          ZoneId.of("America/New_York"),
          ZoneId.of("Asia/Kolkata"),
          ZoneId.of("Australia/Lord_Howe"));

  private static final long FROM = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
  private static final long END = Instant.parse("2046-01-01T00:00:00Z").toEpochMilli();
  private static final int FIRES = 50;

  /** Also those that are left out. */
  private static final int MOST = 20_000;

  @Test
  void expressionsFireAsOthersSayButForTheKnownDifferences() {
    List<String> expressions = lines("expressions.txt");
    TreeSet<String> found = new TreeSet<>();
    for (int i = 0; i < expressions.size(); i++) {
      String expression = expressions.get(i);
      for (ZoneId zone : List.of(ZoneId.of("UTC"), ZONES.get(i % ZONES.size()))) {
        Optional<LongFunction<OptionalLong>> ours = ours(expression, zone);
        for (OtherCrons other : OtherCrons.values()) {
          Optional<LongFunction<OptionalLong>> theirs = other.read(expression, zone);
          if (ours.isEmpty() && theirs.isPresent()) {
            found.add(expression + "\ttaken by\t" + other.title);
          } else if (ours.isPresent() && theirs.isEmpty()) {
            found.add(expression + "\trefused by\t" + other.title);
          } else if (ours.isPresent()
              && !fires(ours.get(), zone).equals(fires(theirs.get(), zone))) {
            found.add(expression + "\tother times in\t" + other.title);
          }
        }
      }
    }
    List<String> known =
        lines("differences.tsv").stream()
            .map(line -> line.substring(0, line.lastIndexOf('\t')))
            .toList();
    System.out.println(expressions.size() + " expressions, " + found.size() + " differences");
    assertThat(expressions).hasSizeGreaterThan(600).doesNotHaveDuplicates();
    assertThat(found).containsExactlyInAnyOrderElementsOf(known);
  }

  private static Optional<LongFunction<OptionalLong>> ours(String expression, ZoneId zone) {
    try {
      FireTimes times = FireTimes.cron(expression, zone);
      return Optional.of(times::next);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The first fire times; fewer if there are no more. */
  private static List<Long> fires(LongFunction<OptionalLong> next, ZoneId zone) {
    List<Long> fires = new ArrayList<>();
    long last = FROM;
    for (int i = 0; fires.size() < FIRES && i < MOST; i++) {
      OptionalLong fire = next.apply(last);
      if (fire.isEmpty() || fire.getAsLong() <= last || fire.getAsLong() > END) {
        return fires;
      }
      last = fire.getAsLong();
      if (!isNearTransition(last, zone)) {
        fires.add(last);
      }
    }
    return fires;
  }

  private static boolean isNearTransition(long time, ZoneId zone) {
    Instant at = Instant.ofEpochMilli(time);
    Instant before = at.minus(Duration.ofDays(1));
    return !zone.getRules()
        .getOffset(before)
        .equals(zone.getRules().getOffset(at.plus(Duration.ofDays(1))));
  }

  private static List<String> lines(String resource) {
    try (InputStream in = CronComparisonTest.class.getResourceAsStream("cron/" + resource)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.startsWith("//")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
