package io.asyncflow.rules.schedule;

import io.asyncflow.rules.schedule.FireTimes.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The text of a cron expression, divided into its fields. What the fields mean is {@link
 * CronTimes}' affair.
 *
 * @param expression as the user wrote it, for messages
 * @param fields six, second to day of week
 */
record CronFields(String expression, List<String> fields) {

  private static final int MAX_LENGTH = 256;

  private static final Map<String, String> MACROS =
      Map.of(
          "@yearly", "0 0 0 1 1 *",
          "@annually", "0 0 0 1 1 *",
          "@monthly", "0 0 0 1 * *",
          "@weekly", "0 0 0 * * 0",
          "@daily", "0 0 0 * * *",
          "@midnight", "0 0 0 * * *",
          "@hourly", "0 0 * * * *");

  /** What each field may contain, for messages. */
  private static final List<String> ALLOWED =
      List.of(
          "the second: 0-59",
          "the minute: 0-59",
          "the hour: 0-23",
          "the day of month: 1-31, L, L-3, LW, 15W",
          "the month: 1-12, JAN-DEC",
          "the day of week: 0-7, MON-SUN, 5L, FRI#2");

  private static final Pattern LONG_NUMBER = Pattern.compile("[0-9]{3}");

  /** Index of the field. */
  static final int SECOND = 0;

  private static final int MINUTE = 1;
  private static final int HOUR = 2;
  private static final int DAY_OF_MONTH = 3;
  private static final int DAY_OF_WEEK = 5;

  /**
   * Divides an expression of five or six fields, or a macro.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static CronFields parse(String expression) {
    String given = PlainText.required("cron", expression, MAX_LENGTH).strip();
    String text = MACROS.getOrDefault(given.toLowerCase(Locale.ROOT), given);
    CronFields found = new CronFields(given, List.of(text.split(" +")));
    if (text.startsWith("@")) {
      throw found.refused("not one of " + String.join(", ", new TreeSet<>(MACROS.keySet())));
    }
    int count = text.isEmpty() ? 0 : found.fields.size();
    if (count != 5 && count != 6) {
      throw found.refused(
          "five fields (minute, hour, day of month, month, day of week), or six with the second in"
              + " front, not "
              + count
              + (count == 7 ? "; years are not supported" : ""));
    }
    if (LONG_NUMBER.matcher(text).find()) { // the parser takes a step of 2147483647 for another one
      throw found.refused("numbers have two digits at most");
    }
    return count == 6 ? found : found.withSeconds();
  }

  private CronFields withSeconds() {
    List<String> six = new ArrayList<>(fields);
    six.add(SECOND, "0");
    CronFields found = new CronFields(expression, List.copyOf(six));
    if (found.restricts(DAY_OF_MONTH) && found.restricts(DAY_OF_WEEK)) {
      throw refused(
          "in five fields, only one of day of month and day of week can be restricted. For days that"
              + " match either, say it with two schedules; for days that match both, write the"
              + " second as a sixth field in front");
    }
    return found;
  }

  private boolean restricts(int field) {
    return !fields.get(field).equals("*") && !fields.get(field).equals("?");
  }

  /** By the rule of Vixie's cron. */
  Kind kind() {
    boolean isInterval = fields.get(HOUR).startsWith("*") || fields.get(MINUTE).startsWith("*");
    return isInterval ? Kind.INTERVAL : Kind.FIXED;
  }

  /** The six fields, as a parser takes them. */
  String text() {
    return String.join(" ", fields);
  }

  /** This expression at the full minute, whatever its seconds are. */
  CronFields atFullMinutes() {
    List<String> six = new ArrayList<>(fields);
    six.set(SECOND, "0");
    return new CronFields(expression, List.copyOf(six));
  }

  /** The given field of this expression, and {@code *} for all others. */
  String alone(int field) {
    List<String> six = new ArrayList<>(List.of("*", "*", "*", "*", "*", "*"));
    six.set(field, fields.get(field));
    return String.join(" ", six);
  }

  /** The exception that says that a field is not understood. */
  IllegalArgumentException refusedField(int field) {
    return refused(
        "\""
            + fields.get(field)
            + "\" is not understood as "
            + ALLOWED.get(field)
            + ", *, and lists (1,2), ascending ranges (1-3) and steps (*/5) of these");
  }

  /** The exception that says what is wrong with this expression. */
  IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("cron \"" + expression + "\": " + why);
  }

  @Override
  public String toString() {
    return expression;
  }
}
