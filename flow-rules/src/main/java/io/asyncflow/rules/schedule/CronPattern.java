package io.asyncflow.rules.schedule;

import static io.asyncflow.rules.schedule.CronField.DAY_OF_MONTH;
import static io.asyncflow.rules.schedule.CronField.DAY_OF_WEEK;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The local times that match a cron expression. Every set of numbers is the bits of a {@code long},
 * so the next time is a matter of shifts: it always lies after the time that is asked for, and is
 * found after a bounded number of months. Immutable.
 */
final class CronPattern {

  /** A pattern that matches no day of a hundred years matches none. */
  private static final int HORIZON_MONTHS = 1_200;

  private static final Pattern OF_MONTH =
      Pattern.compile("L(?:-(?<before>[0-2]?[0-9]|30))?(?<lw>W?)|(?<day>[0-9]+)W");
  private static final Pattern OF_WEEK =
      Pattern.compile("(?<last>[0-9A-Z]+)L|(?<day>[0-9A-Z]+)#(?<week>[1-5])");
  private static final int SUNDAY = 0;
  private static final int SATURDAY = 6;

  private final long seconds;
  private final long minutes;
  private final long hours;
  private final List<DayRule> daysOfMonth;
  private final long months;
  private final List<DayRule> daysOfWeek;

  /** The days of a month that match a part of a field, as the bits 1 to 31; others do not count. */
  private interface DayRule {

    /**
     * @param length of the month
     * @param first the day of the week of its first day, 0 for Sunday
     */
    long days(int length, int first);
  }

  /**
   * Reads the fields.
   *
   * @throws IllegalArgumentException with a message for the user if one is not understood
   */
  CronPattern(CronFields fields) {
    seconds = bits(fields, CronField.SECOND);
    minutes = bits(fields, CronField.MINUTE);
    hours = bits(fields, CronField.HOUR);
    daysOfMonth = fields.parts(DAY_OF_MONTH, CronPattern::ofMonth);
    months = bits(fields, CronField.MONTH);
    daysOfWeek = fields.parts(DAY_OF_WEEK, CronPattern::ofWeek);
  }

  private static long bits(CronFields fields, CronField field) {
    return fields.parts(field, field::bits).stream().reduce(0L, (one, other) -> one | other);
  }

  private static DayRule ofMonth(String part) {
    Matcher special = OF_MONTH.matcher(part);
    if (!special.matches()) {
      long bits = DAY_OF_MONTH.bits(part);
      return (length, first) -> bits;
    }
    if (special.group("day") != null) {
      int day = DAY_OF_MONTH.number(special.group("day"));
      return (length, first) -> bit(weekday(day, length, first));
    }
    String before = special.group("before");
    int offset = before == null ? 0 : Integer.parseInt(before);
    return special.group("lw").isEmpty()
        ? (length, first) -> bit(length - offset)
        : (length, first) -> bit(weekday(length - offset, length, first));
  }

  /** The weekday of the same month that is nearest to a day; 0 if the month has no such day. */
  private static int weekday(int day, int length, int first) {
    if (day < 1 || day > length) {
      return 0;
    }
    return switch ((first + day - 1) % 7) {
      case SATURDAY -> day == 1 ? 3 : day - 1;
      case SUNDAY -> day == length ? day - 2 : day + 1;
      default -> day;
    };
  }

  private static DayRule ofWeek(String part) {
    if (part.equals("L")) { // as others have it: the last day of a week that begins on Sunday
      return ofWeek("SAT");
    }
    Matcher special = OF_WEEK.matcher(part);
    if (!special.matches()) {
      long bits = DAY_OF_WEEK.bits(part);
      return (length, first) -> eachWeek(bits | bits >> 7, first);
    }
    if (special.group("last") != null) {
      int last = DAY_OF_WEEK.number(special.group("last"));
      return (length, first) -> bit(length - Math.floorMod(first + length - 1 - last, 7));
    }
    int day = DAY_OF_WEEK.number(special.group("day"));
    int week = Integer.parseInt(special.group("week"));
    return (length, first) -> bit(7 * week - 6 + Math.floorMod(day - first, 7));
  }

  private static long eachWeek(long daysOfWeek, int first) {
    long days = 0;
    for (int day = 1; day <= 31; day++) {
      days |= (daysOfWeek >> (first + day - 1) % 7 & 1) << day;
    }
    return days;
  }

  private static long bit(int day) {
    return day < 1 ? 0 : 1L << day;
  }

  /** The first matching time after {@code after}; {@code null} if there is none. */
  LocalDateTime next(LocalDateTime after) {
    LocalDateTime from = after.plusSeconds(1);
    LocalDate day = dayFrom(from.toLocalDate());
    if (from.toLocalDate().equals(day)) {
      LocalTime time = timeFrom(from.toLocalTime());
      if (time != null) {
        return day.atTime(time);
      }
      day = dayFrom(day.plusDays(1));
    }
    return day == null ? null : day.atTime(timeFrom(LocalTime.MIDNIGHT));
  }

  /** The first matching day from {@code from} on; {@code null} if there is none. */
  private LocalDate dayFrom(LocalDate from) {
    LocalDate month = from.withDayOfMonth(1);
    long days = daysOf(month) & -1L << from.getDayOfMonth();
    for (int i = 0; days == 0 && i < HORIZON_MONTHS; i++) {
      month = month.plusMonths(1);
      days = daysOf(month);
    }
    return days == 0 ? null : month.withDayOfMonth(Long.numberOfTrailingZeros(days));
  }

  /** The matching days of the month that begins with this day. */
  private long daysOf(LocalDate month) {
    if (!has(months, month.getMonthValue())) {
      return 0;
    }
    int length = month.lengthOfMonth();
    int first = month.getDayOfWeek().getValue() % 7;
    long all = (2L << length) - 2;
    return all & union(daysOfMonth, length, first) & union(daysOfWeek, length, first);
  }

  private static long union(List<DayRule> rules, int length, int first) {
    long days = 0;
    for (DayRule rule : rules) {
      days |= rule.days(length, first);
    }
    return days;
  }

  /** The first matching time of a day from {@code from} on; {@code null} if there is none. */
  private LocalTime timeFrom(LocalTime from) {
    int hour = from.getHour();
    if (has(hours, hour)) {
      int minute = from.getMinute();
      int second = has(minutes, minute) ? from(seconds, from.getSecond()) : 64;
      if (second < 60) {
        return LocalTime.of(hour, minute, second);
      }
      minute = from(minutes, minute + 1);
      if (minute < 60) {
        return LocalTime.of(hour, minute, from(seconds, 0));
      }
    }
    hour = from(hours, hour + 1);
    return hour < 24 ? LocalTime.of(hour, from(minutes, 0), from(seconds, 0)) : null;
  }

  /** The first of these numbers from {@code least} on; 64 if there is none. */
  private static int from(long bits, int least) {
    return Long.numberOfTrailingZeros(bits & -1L << least);
  }

  private static boolean has(long bits, int number) {
    return (bits >> number & 1) != 0;
  }

  /** How many times of a day match, if the day does. */
  int timesOfDay() {
    return Long.bitCount(seconds) * Long.bitCount(minutes) * Long.bitCount(hours);
  }
}
