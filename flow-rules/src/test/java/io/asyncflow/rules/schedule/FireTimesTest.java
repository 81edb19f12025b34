package io.asyncflow.rules.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.asyncflow.rules.schedule.FireTimes.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FireTimesTest {

  private static final ZoneId UTC = FireTimes.zone("UTC");
  private static final ZoneId BERLIN = FireTimes.zone("Europe/Berlin");
  private static final long MIDNIGHT = ms("2026-01-01T00:00:00Z"); // of a Thursday

  @Test
  void fiveFieldsFireAtSecondZero() {
    assertThat(first("30 9 * * *")).isEqualTo("2026-01-01T09:30:00Z");
    assertThat(first("15 30 9 * * *")).isEqualTo("2026-01-01T09:30:15Z");
    assertThat(first("  30   9 * *   * ")).isEqualTo("2026-01-01T09:30:00Z");
  }

  @Test
  void nextIsStrictlyLaterToTheMillisecond() {
    FireTimes times = FireTimes.cron("* * * * * *", UTC);
    assertThat(times.next(MIDNIGHT - 1)).hasValue(MIDNIGHT);
    assertThat(times.next(MIDNIGHT)).hasValue(MIDNIGHT + 1000);
    assertThat(times.next(MIDNIGHT + 999)).hasValue(MIDNIGHT + 1000);
    assertThat(times.next(-1)).hasValue(0);
    assertThat(times.next(-1000)).hasValue(0);
    assertThat(times.next(-1001)).hasValue(-1000);
  }

  @Test
  void macrosAreTaken() {
    assertThat(first("@hourly")).isEqualTo("2026-01-01T01:00:00Z");
    assertThat(first("@daily")).isEqualTo("2026-01-02T00:00:00Z");
    assertThat(first("@Midnight")).isEqualTo("2026-01-02T00:00:00Z");
    assertThat(first("@weekly")).isEqualTo("2026-01-04T00:00:00Z");
    assertThat(first("@monthly")).isEqualTo("2026-02-01T00:00:00Z");
    assertThat(first("@yearly")).isEqualTo("2027-01-01T00:00:00Z");
    assertThat(first("@annually")).isEqualTo("2027-01-01T00:00:00Z");
    assertThat(refusal("@reboot")).startsWith("cron \"@reboot\": not one of @annually, @daily");
  }

  @Test
  void sixFieldsMustMatchBothDaysAndFiveMayNotRestrictBoth() {
    assertThat(first("0 0 0 13 * FRI")).isEqualTo("2026-02-13T00:00:00Z");
    assertThat(first("0 0 13 * ?")).isEqualTo("2026-01-13T00:00:00Z");
    assertThat(first("0 0 ? * FRI")).isEqualTo("2026-01-02T00:00:00Z");
    assertThat(refusal("0 0 13 * FRI"))
        .startsWith("cron \"0 0 13 * FRI\": in five fields, only one of")
        .contains("say it with two schedules");
  }

  @Test
  void stepsOfTheWeekBeginOnSunday() {
    for (String field : List.of("*/2", "0/2", "0-6/2", "0-7/2", "SUN/2", "SUN,TUE,THU,SAT")) {
      assertThat(days("0 0 * * " + field)).as(field).containsExactly(1, 3, 4, 6, 8, 10, 11, 13);
    }
    assertThat(days("0 0 * * */3")).containsExactly(3, 4, 7, 10, 11, 14, 17, 18);
    assertThat(days("0 0 * * */4")).containsExactly(1, 4, 8, 11, 15, 18, 22, 25);
    assertThat(days("0 0 * * 1/2")).containsExactly(2, 4, 5, 7, 9, 11, 12, 14);
  }

  @Test
  void sundayBeginsAWeekAndEndsOne() {
    for (String field : List.of("0", "7", "SUN", "7-7", "SUN-SUN")) {
      assertThat(days("0 0 * * " + field)).as(field).startsWith(4, 11, 18, 25);
    }
    for (String field : List.of("FRI-SUN", "5-7", "5,6,0")) {
      assertThat(days("0 0 * * " + field)).as(field).startsWith(2, 3, 4, 9);
    }
    for (String field : List.of("SUN-MON", "7-1", "0-1", "0,1")) {
      assertThat(days("0 0 * * " + field)).as(field).startsWith(4, 5, 11, 12);
    }
  }

  @Test
  void daysCountFromTheEndOfAMonthWhereItHasThem() {
    assertThat(dates("0 0 9 L-28 * ?")).startsWith("01-03", "03-03", "04-02", "05-03");
    assertThat(dates("0 0 9 L-30 * ?")).startsWith("01-01", "03-01", "05-01", "07-01");
    assertThat(dates("0 0 9 L-27 2 ?"))
        .startsWith("02-01", "02-01", "02-02"); // 2028 is a leap year
    assertThat(dates("0 0 9 L * ?")).startsWith("01-31", "02-28", "03-31", "04-30");
    assertThat(dates("0 0 9 L-0 * ?")).isEqualTo(dates("0 0 9 L * ?"));
    assertThat(refusal("0 0 9 L-31 * ?"))
        .contains("\"L-31\" is not understood as the day of month");
  }

  @Test
  void theNearestWeekdayIsOneOfTheSameMonth() {
    assertThat(dates("0 0 0 31W * ?")).startsWith("01-30", "03-31", "05-29", "07-31");
    assertThat(dates("0 0 0 28W 2 ?")).startsWith("02-27", "02-26", "02-28"); // 2027: a Sunday
    assertThat(dates("0 0 0 1W * ?")).startsWith("01-01", "02-02", "03-02", "04-01");
    assertThat(dates("0 0 0 15W * ?")).startsWith("01-15", "02-16", "03-16", "04-15");
    assertThat(dates("0 0 0 LW * ?")).startsWith("01-30", "02-27", "03-31", "04-30", "05-29");
    assertThat(dates("0 0 0 L-2W * ?")).startsWith("01-29", "02-26", "03-30", "04-28");
  }

  @Test
  void harmlessFormsAreTaken() {
    assertThat(first("0 0/5 * * * ? *")).isEqualTo(first("0 0/5 * * * ?"));
    assertThat(first("0 0 9 ? * MON ?")).isEqualTo(first("0 0 9 ? * MON"));
    assertThat(first("0\t3\t*\t*\t*")).isEqualTo(first("0 3 * * *"));
    assertThat(first("\t0 \t3 * * * ")).isEqualTo(first("0 3 * * *"));
    assertThat(days("0 0 9 ? * L")).startsWith(3, 10, 17, 24); // Saturday, as in Quartz
    assertThat(days("0 0 9 ? * l")).startsWith(3, 10, 17, 24);
    assertThat(first("05 07 01 jan *")).isEqualTo("2026-01-01T07:05:00Z");
  }

  /**
   * Each day of three leap years and what lies between, with what the days of an expression are.
   */
  @Test
  void daysAreThoseOfAScanOfTheCalendar() {
    List<String> ofMonth = new ArrayList<>(List.of("*", "L", "LW", "1,L", "10-20/3", "1,15W,LW"));
    List<String> ofWeek = new ArrayList<>(List.of("*", "L", "1-5", "FRI-SUN", "7-2", "SUN,WED"));
    for (int day = 1; day <= 31; day++) {
      ofMonth.addAll(List.of("" + day, day + "W", "*/" + day, day + "/7"));
      ofMonth.addAll(List.of("L-" + (day - 1), "L-" + (day - 1) + "W"));
    }
    for (String day : List.of("0", "1", "MON", "5", "SAT", "7")) {
      ofWeek.addAll(List.of(day, day + "L", "*/" + Math.max(1, day.charAt(0) % 8)));
      IntStream.rangeClosed(1, 5).forEach(week -> ofWeek.add(day + "#" + week));
    }
    ofMonth.forEach(day -> assertDays(day + " * *"));
    ofWeek.forEach(day -> assertDays("* * " + day));
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      String day = ofMonth.get(random.nextInt(ofMonth.size()));
      String month = List.of("*", "2", "1,FEB", "*/5").get(random.nextInt(4));
      assertDays(day + " " + month + " " + ofWeek.get(random.nextInt(ofWeek.size())));
    }
  }

  private static void assertDays(String days) {
    CronMatcher matcher = new CronMatcher("0 0 9 " + days);
    LocalDate begin = LocalDate.of(2026, 1, 1);
    List<LocalDate> expected =
        begin.datesUntil(LocalDate.of(2037, 1, 1)).filter(matcher::matchesDay).toList();
    if (expected.isEmpty()) {
      return; // it may fire later, or never
    }
    List<LocalDate> found =
        FireTimes.cron("0 0 9 " + days, UTC)
            .after(MIDNIGHT, ms("2037-01-01T00:00:00Z"), 5_000)
            .stream()
            .map(time -> LocalDate.ofEpochDay(time / Duration.ofDays(1).toMillis()))
            .toList();
    assertThat(found).as(days).isEqualTo(expected);
  }

  /** Whatever finds the next time: one that does not advance is an error, not an endless walk. */
  @Test
  void aTimeThatDoesNotAdvanceIsAnError() {
    for (long step : new long[] {0, -1, -1_000}) {
      FireTimes stuck = new StuckTimes(MIDNIGHT, step);
      assertThatIllegalStateException()
          .isThrownBy(() -> stuck.after(MIDNIGHT - 5_000, Long.MAX_VALUE, 10))
          .withMessageStartingWith("a bug: after " + MIDNIGHT + " comes " + (MIDNIGHT + step));
    }
  }

  @Test
  void aWalkHasABoundAndAnEnd() {
    FireTimes times = FireTimes.every(1_000, 0);
    assertThat(times.after(0, Long.MAX_VALUE, 3)).containsExactly(1_000L, 2_000L, 3_000L);
    assertThat(times.after(0, 3_000, 10)).containsExactly(1_000L, 2_000L);
    assertThat(times.after(0, 1_000, 10)).isEmpty();
    assertThat(times.after(0, 9_000, 0)).isEmpty();
    assertThat(times.after(Long.MAX_VALUE - 1, Long.MAX_VALUE, 10)).isEmpty();
  }

  @Test
  void hourOrMinuteThatBeginsWithAStarMakesAnInterval() {
    assertThat(kind("0 */5 3 * * *")).isEqualTo(Kind.INTERVAL);
    assertThat(kind("0 7 * * * *")).isEqualTo(Kind.INTERVAL);
    assertThat(kind("0 7 */2 * * *")).isEqualTo(Kind.INTERVAL);
    assertThat(kind("@hourly")).isEqualTo(Kind.INTERVAL);
    assertThat(kind("* 0/5 0-23 * * *")).isEqualTo(Kind.FIXED);
    assertThat(kind("@daily")).isEqualTo(Kind.FIXED);
    assertThat(FireTimes.every(1, 0).kind()).isEqualTo(Kind.INTERVAL);
  }

  @Test
  void expressionThatNeverFiresIsRefused() {
    assertThat(refusal("0 0 30 2 *")).isEqualTo("cron \"0 0 30 2 *\": never fires in UTC");
    assertThat(refusal("0 0 0 31 4,6 *")).contains("never fires");
    assertThat(refusal("0 0 0 1-7 * 5#2")).contains("never fires");
    assertThat(first("0 0 0 29 2 MON")).isEqualTo("2044-02-29T00:00:00Z");
    // Each last Sunday of March, this hour does not exist.
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FireTimes.cron("0 */5 2 ? 3 SUNL", BERLIN))
        .withMessageEndingWith("never fires in Europe/Berlin");
    assertThat(first("0 */5 2 ? 3 SUNL")).isEqualTo("2026-03-29T02:00:00Z");
  }

  @Test
  void refusalNamesTheFieldThatIsNotUnderstood() {
    assertThat(refusal("61 * * * *"))
        .isEqualTo(
            "cron \"61 * * * *\": \"61\" is not understood as the minute: 0-59, *, and lists (1,2),"
                + " ascending ranges (1-3) and steps (*/5) of these");
    assertThat(refusal("61 * * * * *")).contains("\"61\" is not understood as the second");
    assertThat(refusal("0 24 * * *")).contains("\"24\" is not understood as the hour");
    assertThat(refusal("0 0 0 * *")).contains("\"0\" is not understood as the day of month");
    assertThat(refusal("0 0 * MAI *")).contains("\"MAI\" is not understood as the month");
    assertThat(refusal("0 0 * * FRI-MON")).contains("\"FRI-MON\" is not understood as the day of");
    assertThat(refusal("*/0 * * * *")).contains("\"*/0\" is not understood as the minute");
    assertThat(refusal("1/2147483647 * * * *")).endsWith("numbers have two digits at most");
  }

  @Test
  void refusalOfOtherTextsSaysWhatIsExpected() {
    assertThat(refusal(null)).isEqualTo("cron: missing");
    assertThat(refusal("")).endsWith("or six with the second in front, not 0");
    assertThat(refusal("* * * *")).endsWith("or six with the second in front, not 4");
    assertThat(refusal("0 0 0 1 1 ? 2030"))
        .endsWith("or six with the second in front, not 7; years are not supported");
    assertThat(refusal("* * * *\n*")).isEqualTo("cron: only printable characters of ASCII");
    assertThat(refusal("*\t*\t*\t*")).startsWith("cron \"* * * *\": five fields");
    assertThat(refusal("* * * * \u0661")).isEqualTo("cron: only printable characters of ASCII");
    assertThat(refusal("* ".repeat(129))).isEqualTo("cron: at most 256 characters, not 258");
    assertThat(first("0 0 1" + ",1".repeat(120) + " * *")).isEqualTo("2026-02-01T00:00:00Z");
  }

  @Test
  void anyTextIsEitherTakenOrRefused() {
    String letters = "0123456789***,-/?LW#@ SUN";
    Random random = new Random(1);
    for (int i = 0; i < 5_000; i++) {
      String text =
          IntStream.range(0, 6)
              .mapToObj(field -> randomField(random, letters))
              .collect(Collectors.joining(" "));
      assertThatCode(() -> takeOrRefuse(text)).as(text).doesNotThrowAnyException();
    }
  }

  private static String randomField(Random random, String letters) {
    return random
        .ints(1 + random.nextInt(3), 0, letters.length())
        .mapToObj(letters::substring)
        .map(rest -> rest.substring(0, 1))
        .collect(Collectors.joining());
  }

  private static void takeOrRefuse(String text) {
    try {
      FireTimes.cron(text, UTC).next(MIDNIGHT);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("cron \"" + text.strip() + "\": ");
    }
  }

  @Test
  void cronOfAnyTimeIsAnswered() {
    for (FireTimes times :
        List.of(FireTimes.cron("@daily", BERLIN), FireTimes.cron("@hourly", BERLIN))) {
      assertThat(times.next(Long.MAX_VALUE)).isEmpty();
      assertThat(times.next(Long.MAX_VALUE - 1)).isEmpty();
      assertThat(times.next(Long.MIN_VALUE).orElseThrow())
          .isBetween(Long.MIN_VALUE, Long.MIN_VALUE + Duration.ofDays(1).toMillis());
      assertThat(times.next(ms("9999-12-31T23:30:00Z"))).isPresent();
    }
  }

  @Test
  void everyFiresWholeIntervalsFromItsAnchor() {
    FireTimes times = FireTimes.every(1_000, 300);
    assertThat(times.next(0)).hasValue(300);
    assertThat(times.next(300)).hasValue(1_300);
    assertThat(times.next(299)).hasValue(300);
    assertThat(times.next(-1)).hasValue(300);
    assertThat(times.next(-700)).hasValue(300);
    assertThat(times.next(-701)).hasValue(-700);
    assertThat(FireTimes.every(1_000, 7_300).next(0)).hasValue(300);
    assertThat(FireTimes.every(1_000, -700).next(0)).hasValue(300);
  }

  @Test
  void everyDoesNotOverflow() {
    for (long anchor : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}) {
      FireTimes each = FireTimes.every(1, anchor);
      assertThat(each.next(Long.MIN_VALUE)).hasValue(Long.MIN_VALUE + 1);
      assertThat(each.next(Long.MAX_VALUE - 1)).hasValue(Long.MAX_VALUE);
      assertThat(each.next(Long.MAX_VALUE)).isEmpty();
      FireTimes rare = FireTimes.every(Long.MAX_VALUE, anchor);
      for (long after : new long[] {Long.MIN_VALUE, -5, 0, 5, Long.MAX_VALUE - 5}) {
        OptionalLong next = rare.next(after);
        assertThat(next.isEmpty() || next.getAsLong() > after).isTrue();
      }
    }
    assertThat(FireTimes.every(Long.MAX_VALUE, 5).next(0)).hasValue(5);
    assertThat(FireTimes.every(Long.MAX_VALUE, 5).next(5)).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FireTimes.every(0, 0))
        .withMessage("every: at least 1 ms, not 0");
  }

  @Test
  void anchorsAreStableAndSpread() {
    assertThat(FireTimes.anchorOf("probe", 60_000)).isEqualTo(FireTimes.anchorOf("probe", 60_000));
    assertThat(FireTimes.anchorOf("nightly", 60_000)).isEqualTo(29_258);
    long[] fires = new long[60];
    for (int i = 0; i < 6_000; i++) {
      long anchor = FireTimes.anchorOf("probe-" + i, 60_000);
      assertThat(anchor).isBetween(0L, 59_999L);
      fires[(int) anchor / 1000]++;
    }
    assertThat(LongStream.of(fires).max().orElseThrow()).isLessThan(200);
    long longest = Duration.ofDays(366).toMillis();
    assertThat(IntStream.range(0, 100).mapToLong(i -> FireTimes.anchorOf("p" + i, longest)))
        .anyMatch(anchor -> anchor > longest / 2);
  }

  @Test
  void firesPerHourAreTheMeanOfADayOnWhichItFires() {
    assertThat(FireTimes.every(1_000, 0).firesPerHour()).isEqualTo(3_600);
    assertThat(FireTimes.every(7_000, 0).firesPerHour()).isEqualTo(515);
    assertThat(FireTimes.every(3_600_000, 0).firesPerHour()).isEqualTo(1);
    assertThat(FireTimes.every(Long.MAX_VALUE, 0).firesPerHour()).isEqualTo(1);
    assertThat(load("* * * * * *")).isEqualTo(3_600);
    assertThat(load("*/7 * * * * *")).isEqualTo(540);
    assertThat(load("*/5 * * * *")).isEqualTo(12);
    assertThat(load("0 */10 9-17 * * *")).isEqualTo(3); // 54 a day
    assertThat(load("* * 0 * * *")).isEqualTo(150);
    assertThat(load("@hourly")).isEqualTo(1);
    assertThat(load("0 0,30 * * * *")).isEqualTo(2);
    assertThat(load("@yearly")).isEqualTo(1);
    assertThat(load("* * * 1 1 *")).isEqualTo(60 * 60); // on its day
  }

  @Test
  void zoneIsARegionOrUtc() {
    assertThat(FireTimes.zone("UTC")).isEqualTo(ZoneId.of("UTC"));
    assertThat(FireTimes.zone("America/Argentina/Ushuaia").getId()).endsWith("/Ushuaia");
    assertThat(FireTimes.zone("Etc/UTC").getId()).isEqualTo("Etc/UTC");
    for (String other :
        Set.of(
            "EST5",
            "EST",
            "EST5EDT",
            "CET",
            "GMT",
            "GMT0",
            "Z",
            "+02:00",
            "UTC+2",
            "GMT+2",
            "utc",
            "UT+01:00",
            "europe/berlin",
            "Europe/Bonn",
            "SystemV/EST5",
            "/",
            "",
            " UTC",
            "Japan")) {
      assertThatIllegalArgumentException()
          .as(other)
          .isThrownBy(() -> FireTimes.zone(other))
          .withMessage(
              "zone \"%s\": must be UTC, or a region of the IANA database such as Europe/Berlin;"
                  + " offsets and names without a region are not understood",
              other);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FireTimes.zone(null))
        .withMessage("zone: missing");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FireTimes.zone("Europe/".repeat(10)))
        .withMessage("zone: at most 64 characters, not 70");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FireTimes.zone("Europe/K\u00f6ln"))
        .withMessage("zone: only printable characters of ASCII");
  }

  @Test
  void hundredThousandNextTakeLessThanASecond() {
    assertQuick(FireTimes.every(1_000, 17));
    assertQuick(FireTimes.cron("*/5 * * * *", BERLIN));
    assertQuick(FireTimes.cron("0 30 2 * * *", BERLIN));
    assertQuick(FireTimes.cron("0 0 9-17 * * MON-FRI", BERLIN));
    assertQuick(FireTimes.cron("0 0 0 L * *", BERLIN));
  }

  /** Up to 2037, and then from 2026 again. The limit leaves room for a machine that is busy. */
  private static void assertQuick(FireTimes times) {
    long end = ms("2037-01-01T00:00:00Z");
    long start = System.nanoTime();
    long last = MIDNIGHT;
    for (int i = 0; i < 100_000; i++) {
      long next = times.next(last).orElseThrow();
      assertThat(next > last).isTrue();
      last = next < end ? next : MIDNIGHT;
    }
    Duration taken = Duration.ofNanos(System.nanoTime() - start);
    System.out.printf(Locale.ROOT, "100,000 next() of %s: %d ms%n", times, taken.toMillis());
    assertThat(taken).isLessThan(Duration.ofSeconds(5));
  }

  private static String first(String expression) {
    long next = FireTimes.cron(expression, UTC).next(MIDNIGHT).orElseThrow();
    return Instant.ofEpochMilli(next).toString();
  }

  /** The days of January 2026, and more, on which it fires. */
  private static List<Integer> days(String expression) {
    return fires(expression).map(LocalDateTime::getDayOfMonth).toList();
  }

  private static List<String> dates(String expression) {
    return fires(expression).map(fire -> fire.toString().substring(5, 10)).toList();
  }

  private static Stream<LocalDateTime> fires(String expression) {
    return FireTimes.cron(expression, UTC).after(MIDNIGHT - 1, Long.MAX_VALUE, 8).stream()
        .map(time -> LocalDateTime.ofEpochSecond(time / 1_000, 0, ZoneOffset.UTC));
  }

  private static Kind kind(String expression) {
    return FireTimes.cron(expression, UTC).kind();
  }

  private static long load(String expression) {
    return FireTimes.cron(expression, UTC).firesPerHour();
  }

  private static String refusal(String expression) {
    try {
      FireTimes times = FireTimes.cron(expression, UTC);
      throw new AssertionError("taken: " + times);
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static long ms(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }
}
