package io.asyncflow.rules.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.TemporalAdjusters;
import java.util.List;

/**
 * Whether a local time matches a cron expression of six fields. It is written anew for the tests,
 * field by field, and shares nothing with what they judge; so it need not find the next time.
 */
final class CronMatcher {

  private static final List<String> MONTHS =
      List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
  private static final List<String> DAYS = List.of("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN");

  private final long seconds;
  private final long minutes;
  private final long hours;
  private final String daysOfMonth;
  private final long months;
  private final String daysOfWeek;

  CronMatcher(String expression) {
    String[] fields = expression.split(" ");
    seconds = bits(fields[0], 0, 59);
    minutes = bits(fields[1], 0, 59);
    hours = bits(fields[2], 0, 23);
    daysOfMonth = fields[3];
    months = bits(numbered(fields[4], MONTHS), 1, 12);
    daysOfWeek = numbered(fields[5], DAYS);
  }

  boolean matchesTime(int secondOfDay) {
    return has(hours, secondOfDay / 3600)
        && has(minutes, secondOfDay / 60 % 60)
        && has(seconds, secondOfDay % 60);
  }

  boolean matchesDay(LocalDate day) {
    return has(months, day.getMonthValue()) && isOneOfMonth(day) && isOneOfWeek(day);
  }

  private boolean isOneOfMonth(LocalDate day) {
    for (String part : daysOfMonth.split(",")) {
      boolean isSpecial = part.contains("L") || part.contains("W");
      boolean matches =
          isSpecial
              ? day.equals(specialDayOfMonth(part, day))
              : has(bits(part, 1, 31), day.getDayOfMonth());
      if (matches) {
        return true;
      }
    }
    return false;
  }

  private static LocalDate specialDayOfMonth(String part, LocalDate day) {
    LocalDate last = day.with(TemporalAdjusters.lastDayOfMonth());
    if (part.startsWith("L-")) {
      return last.minusDays(Integer.parseInt(part.substring(2)));
    }
    if (part.startsWith("L")) {
      int atWeekend = last.getDayOfWeek().getValue() - DayOfWeek.FRIDAY.getValue();
      return part.equals("LW") && atWeekend > 0 ? last.minusDays(atWeekend) : last;
    }
    LocalDate named = day.withDayOfMonth(Integer.parseInt(part.replace("W", "")));
    return switch (named.getDayOfWeek()) {
      case SATURDAY -> named.getDayOfMonth() == 1 ? named.plusDays(2) : named.minusDays(1);
      case SUNDAY -> named.plusDays(1);
      default -> named;
    };
  }

  private boolean isOneOfWeek(LocalDate day) {
    int number = day.getDayOfWeek().getValue();
    for (String part : daysOfWeek.split(",")) {
      boolean matches;
      if (part.endsWith("L")) {
        matches = number == part.charAt(0) - '0' && day.plusDays(7).getMonth() != day.getMonth();
      } else if (part.contains("#")) {
        int week = (day.getDayOfMonth() - 1) / 7 + 1;
        matches = number == part.charAt(0) - '0' && week == part.charAt(2) - '0';
      } else {
        matches = has(bits(part, 1, 7), number);
      }
      if (matches) {
        return true;
      }
    }
    return false;
  }

  private static String numbered(String field, List<String> names) {
    String text = field;
    for (int i = 0; i < names.size(); i++) {
      text = text.replace(names.get(i), Integer.toString(i + 1));
    }
    return text;
  }

  private static long bits(String field, int least, int most) {
    long bits = 0;
    for (String part : field.split(",")) {
      String[] rangeAndStep = part.split("/");
      String[] ends = rangeAndStep[0].split("-");
      boolean isAll = ends[0].equals("*") || ends[0].equals("?");
      int from = isAll ? least : Integer.parseInt(ends[0]);
      int to = from;
      if (ends.length == 2) {
        to = Integer.parseInt(ends[1]);
      } else if (isAll || rangeAndStep.length == 2) {
        to = most;
      }
      int step = rangeAndStep.length == 2 ? Integer.parseInt(rangeAndStep[1]) : 1;
      for (int value = from; value <= to; value += step) {
        bits |= 1L << value;
      }
    }
    return bits;
  }

  private static boolean has(long bits, int value) {
    return (bits >> value & 1) != 0;
  }
}
