package io.asyncflow.rules.schedule;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A field of a cron expression: the numbers that it may hold, and their names. */
enum CronField {
  SECOND(0, 59, "the second: 0-59"),
  MINUTE(0, 59, "the minute: 0-59"),
  HOUR(0, 23, "the hour: 0-23"),
  DAY_OF_MONTH(1, 31, "the day of month: 1-31, L, L-3, LW, 15W"),
  MONTH(
      1,
      12,
      "the month: 1-12, JAN-DEC",
      "JAN",
      "FEB",
      "MAR",
      "APR",
      "MAY",
      "JUN",
      "JUL",
      "AUG",
      "SEP",
      "OCT",
      "NOV",
      "DEC"),

  /** Sunday is 0 and 7. */
  DAY_OF_WEEK(
      0,
      7,
      "the day of week: 0-7, MON-SUN, L, 5L, FRI#2",
      "SUN",
      "MON",
      "TUE",
      "WED",
      "THU",
      "FRI",
      "SAT");

  private static final Pattern RANGE =
      Pattern.compile("(?:\\*|([0-9A-Z]+)(?:-([0-9A-Z]+))?)(?:/([0-9]+))?");

  private final int min;
  private final int max;
  private final List<String> names;

  /** What the field may contain, for messages. */
  final String allowed;

  CronField(int min, int max, String allowed, String... names) {
    this.min = min;
    this.max = max;
    this.allowed = allowed;
    this.names = List.of(names);
  }

  /**
   * The numbers of a part of a list, such as {@code 5}, {@code 1-5}, {@code *&#47;2} or {@code
   * MON-FRI}, as bits.
   *
   * @throws IllegalArgumentException if it is none
   */
  long bits(String part) {
    Matcher range = RANGE.matcher(part);
    require(range.matches());
    boolean isAll = range.group(1) == null;
    boolean isStepped = range.group(3) != null;
    int from = isAll ? min : number(range.group(1));
    int to = isAll || isStepped ? max : from;
    if (range.group(2) != null) {
      to = number(range.group(2));
      if (this == DAY_OF_WEEK && to == 0 && from > 0) { // FRI-SUN
        to = max;
      }
    }
    if (this == DAY_OF_WEEK && from == max && to < max) { // 7-2
      from = min;
    }
    int step = isStepped ? Integer.parseInt(range.group(3)) : 1;
    require(from <= to && step > 0);
    long bits = 0;
    for (int value = from; value <= to; value += step) {
      bits |= 1L << value;
    }
    return bits;
  }

  /**
   * The number that a text is, or names.
   *
   * @throws IllegalArgumentException if it is none of this field
   */
  int number(String text) {
    int index = names.indexOf(text);
    int number = index >= 0 ? min + index : Integer.parseInt(text);
    require(number >= min && number <= max);
    return number;
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException();
    }
  }
}
