package io.asyncflow.rules.schedule;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Whether a local time matches a cron expression of six fields. It is written anew for the tests,
 * field by field, and shares nothing with what they judge; so it need not find the next time.
 */
final class CronMatcher {

  private static final List<String> MONTHS =
      List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
  private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

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
    months = bits(numbered(fields[4], 1, MONTHS), 1, 12);
    daysOfWeek = numbered(fields[5], 0, DAYS);
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
    String number = part.replaceAll("[LW-]", "");
    LocalDate named =
        part.startsWith("L")
            ? last.minusDays(number.isEmpty() ? 0 : Integer.parseInt(number))
            : day.withDayOfMonth(1).plusDays(Integer.parseInt(number) - 1);
    if (named.getMonth() != day.getMonth()) {
      return null;
    }
    return part.endsWith("W") ? nearestWeekday(named) : named;
  }

  private static LocalDate nearestWeekday(LocalDate day) {
    return IntStream.of(0, -1, 1, -2, 2)
        .mapToObj(day::plusDays)
        .filter(near -> near.getMonth() == day.getMonth())
        .filter(near -> near.getDayOfWeek().getValue() <= DayOfWeek.FRIDAY.getValue())
        .findFirst()
        .orElseThrow();
  }

  private boolean isOneOfWeek(LocalDate day) {
    int number = day.getDayOfWeek().getValue() % 7;
    for (String part : daysOfWeek.split(",")) {
      boolean isNumbered = number == (part.charAt(0) - '0') % 7;
      boolean matches;
      if (part.equals("L")) {
        matches = day.getDayOfWeek() == DayOfWeek.SATURDAY;
      } else if (part.endsWith("L")) {
        matches = isNumbered && day.plusDays(7).getMonth() != day.getMonth();
      } else if (part.contains("#")) {
        int week = (day.getDayOfMonth() - 1) / 7 + 1;
        matches = isNumbered && week == part.charAt(2) - '0';
      } else {
        String rising = part.replaceFirst("^7-(?=[0-6])", "0-").replaceFirst("^([1-6])-0", "$1-7");
        long bits = bits(rising, 0, 7);
        matches = has(bits, number) || number == 0 && has(bits, 7);
      }
      if (matches) {
        return true;
      }
    }
    return false;
  }

  private static String numbered(String field, int first, List<String> names) {
    String text = field;
    for (int i = 0; i < names.size(); i++) {
      text = text.replace(names.get(i), Integer.toString(first + i));
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
