package io.asyncflow.rules.schedule;

import static io.asyncflow.rules.schedule.FireTimes.Kind.FIXED;
import static io.asyncflow.rules.schedule.FireTimes.Kind.INTERVAL;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.rules.schedule.FireTimes.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FireTimesAtTransitionsTest {

  private static final String BERLIN = "Europe/Berlin"; // 2026: 29 March, 25 October
  private static final String CAIRO = "Africa/Cairo";
  private static final String LORD_HOWE = "Australia/Lord_Howe";
  private static final String APIA = "Pacific/Apia";

  @Test
  void fixedTimeInAGapFiresWhenTheGapEnds() {
    assertThat(fires(FIXED, "0 30 2 * * *", BERLIN, "2026-03-28T00:00+01:00", 3))
        .containsExactly(
            "2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
  }

  @Test
  void fixedTimesInOneGapFallTogether() {
    assertThat(fires(FIXED, "0 0,15,30,45 2 * * *", BERLIN, "2026-03-28T02:40+01:00", 3))
        .containsExactly(
            "2026-03-28T02:45+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00");
    assertThat(fires(FIXED, "0 0 1,2,3,4 * * *", BERLIN, "2026-03-29T00:00+01:00", 3))
        .containsExactly(
            "2026-03-29T01:00+01:00", "2026-03-29T03:00+02:00", "2026-03-29T04:00+02:00");
    assertThat(fires(FIXED, "* 59 2 * * *", BERLIN, "2026-03-29T00:00+01:00", 2))
        .containsExactly("2026-03-29T03:00+02:00", "2026-03-30T02:59+02:00");
  }

  @Test
  void fixedTimeThatComesTwiceFiresTheFirstTime() {
    assertThat(fires(FIXED, "0 30 2 * * *", BERLIN, "2026-10-24T12:00+02:00", 2))
        .containsExactly("2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
    assertThat(fires(FIXED, "0 0,30 2,3 * * *", BERLIN, "2026-10-25T00:00+02:00", 5))
        .containsExactly(
            "2026-10-25T02:00+02:00",
            "2026-10-25T02:30+02:00",
            "2026-10-25T03:00+01:00",
            "2026-10-25T03:30+01:00",
            "2026-10-26T02:00+01:00");
  }

  @Test
  void fixedTimeDoesNotFireAgainForAQuestionAskedTheSecondTime() {
    for (String asked : List.of("02:00+01:00", "02:15+01:00", "02:30+01:00", "02:59:59+01:00")) {
      assertThat(fires(FIXED, "0 30 2 * * *", BERLIN, "2026-10-25T" + asked, 1))
          .containsExactly("2026-10-26T02:30+01:00");
    }
  }

  @Test
  void intervalKeepsItsPaceThroughAGapAndAnOverlap() {
    assertThat(pauses(INTERVAL, "0 */5 * * * *", BERLIN, "2026-03-29T00:00+01:00", 60))
        .containsOnly(Duration.ofMinutes(5));
    assertThat(pauses(INTERVAL, "0 */5 * * * *", BERLIN, "2026-10-25T00:00+02:00", 60))
        .containsOnly(Duration.ofMinutes(5));
    assertThat(pauses(INTERVAL, "0 30 * * * *", BERLIN, "2026-10-25T00:00+02:00", 6))
        .containsOnly(Duration.ofHours(1));
  }

  @Test
  void intervalInsideAnHourSkipsItInAGapAndRepeatsItInAnOverlap() {
    assertThat(fires(INTERVAL, "0 */30 2 * * *", BERLIN, "2026-03-28T02:10+01:00", 2))
        .containsExactly("2026-03-28T02:30+01:00", "2026-03-30T02:00+02:00");
    assertThat(fires(INTERVAL, "0 */30 2 * * *", BERLIN, "2026-10-25T00:00+02:00", 5))
        .containsExactly(
            "2026-10-25T02:00+02:00",
            "2026-10-25T02:30+02:00",
            "2026-10-25T02:00+01:00",
            "2026-10-25T02:30+01:00",
            "2026-10-26T02:00+01:00");
  }

  @Test
  void midnightThatDoesNotExistFiresAtTheFirstInstantOfTheDay() {
    assertThat(fires(FIXED, "@daily", CAIRO, "2014-05-14T12:00+02:00", 3))
        .containsExactly(
            "2014-05-15T00:00+02:00", "2014-05-16T01:00+03:00", "2014-05-17T00:00+03:00");
  }

  @Test
  void midnightToWhichTheClockComesTwiceFiresOnce() {
    // At 24:00 the clock is set back to 23:00: only the second midnight begins the next day.
    assertThat(fires(FIXED, "@daily", CAIRO, "2014-09-24T12:00+03:00", 3))
        .containsExactly(
            "2014-09-25T00:00+03:00", "2014-09-26T00:00+02:00", "2014-09-27T00:00+02:00");
  }

  @Test
  void halfAnHourIsAGapAndAnOverlapAsAnyOther() {
    assertThat(fires(FIXED, "0 0,15,45 2 * * *", LORD_HOWE, "2026-10-04T00:00+10:30", 3))
        .containsExactly(
            "2026-10-04T02:30+11:00", "2026-10-04T02:45+11:00", "2026-10-05T02:00+11:00");
    assertThat(fires(FIXED, "0 45 1 * * *", LORD_HOWE, "2026-04-05T00:00+11:00", 2))
        .containsExactly("2026-04-05T01:45+11:00", "2026-04-06T01:45+10:30");
    assertThat(pauses(INTERVAL, "0 */15 * * * *", LORD_HOWE, "2026-10-04T00:00+10:30", 20))
        .containsOnly(Duration.ofMinutes(15));
    assertThat(pauses(INTERVAL, "0 */15 * * * *", LORD_HOWE, "2026-04-05T00:00+11:00", 20))
        .containsOnly(Duration.ofMinutes(15));
  }

  @Test
  void dayThatDoesNotExistFiresOnceWhenTheNextBegins() {
    assertThat(fires(FIXED, "0 0 6,12,18 * * *", APIA, "2011-12-29T12:00-10:00", 4))
        .containsExactly(
            "2011-12-29T18:00-10:00",
            "2011-12-31T00:00+14:00",
            "2011-12-31T06:00+14:00",
            "2011-12-31T12:00+14:00");
    assertThat(pauses(INTERVAL, "0 0 * * * *", APIA, "2011-12-29T12:00-10:00", 24))
        .containsOnly(Duration.ofHours(1));
  }

  @Test
  void dateThatDoesNotExistInItsYearFiresWhenTheNextDayBegins() {
    assertThat(fires(FIXED, "0 0 9 30 12 *", APIA, "2010-12-30T12:00-10:00", 2))
        .containsExactly("2011-12-31T00:00+14:00", "2012-12-30T09:00+14:00");
  }

  private static List<String> fires(Kind kind, String cron, String zone, String after, int count) {
    return instants(kind, cron, zone, after, count).stream()
        .map(fire -> fire.atZone(ZoneId.of(zone)).toOffsetDateTime().toString())
        .toList();
  }

  private static List<Duration> pauses(
      Kind kind, String cron, String zone, String after, int count) {
    List<Instant> fires = instants(kind, cron, zone, after, count);
    List<Duration> pauses = new ArrayList<>();
    for (int i = 1; i < fires.size(); i++) {
      pauses.add(Duration.between(fires.get(i - 1), fires.get(i)));
    }
    return pauses;
  }

  private static List<Instant> instants(
      Kind kind, String cron, String zone, String after, int count) {
    FireTimes times = FireTimes.cron(cron, FireTimes.zone(zone));
    assertThat(times.kind()).isEqualTo(kind);
    List<Instant> fires = new ArrayList<>();
    long last = OffsetDateTime.parse(after).toInstant().toEpochMilli();
    for (int i = 0; i < count; i++) {
      last = times.next(last).orElseThrow();
      fires.add(Instant.ofEpochMilli(last));
    }
    return fires;
  }
}
