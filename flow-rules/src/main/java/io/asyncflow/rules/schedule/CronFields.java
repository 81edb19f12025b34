package io.asyncflow.rules.schedule;

import io.asyncflow.rules.schedule.FireTimes.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The text of a cron expression, divided into its fields. What the fields mean is {@link
 * CronPattern}'s affair.
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

  /** A day, or a year, that is not restricted. */
  private static final Set<String> ANY = Set.of("*", "?");

  private static final Pattern LONG_NUMBER = Pattern.compile("[0-9]{3}");

  /**
   * Divides an expression of five or six fields, or a macro. A seventh field may say that each year
   * is meant.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static CronFields parse(String expression) {
    String spaced = expression == null ? null : expression.replace('\t', ' ');
    String given = PlainText.required("cron", spaced, MAX_LENGTH).strip();
    String text = MACROS.getOrDefault(given.toLowerCase(Locale.ROOT), given);
    List<String> fields = new ArrayList<>(List.of(text.split(" +")));
    if (fields.size() == 7 && ANY.contains(fields.get(6))) {
      fields.remove(6);
    }
    CronFields found = new CronFields(given, List.copyOf(fields));
    if (text.startsWith("@")) {
      throw found.refused("not one of " + String.join(", ", new TreeSet<>(MACROS.keySet())));
    }
    int count = text.isEmpty() ? 0 : fields.size();
    if (count != 5 && count != 6) {
      throw found.refused(
          "five fields (minute, hour, day of month, month, day of week), or six with the second in"
              + " front, not "
              + count
              + (count == 7 ? "; years are not supported" : ""));
    }
    if (LONG_NUMBER.matcher(text).find()) {
      throw found.refused("numbers have two digits at most");
    }
    return count == 6 ? found : found.withSeconds();
  }

  private CronFields withSeconds() {
    List<String> six = new ArrayList<>(fields);
    six.add(0, "0");
    CronFields found = new CronFields(expression, List.copyOf(six));
    if (found.restricts(CronField.DAY_OF_MONTH) && found.restricts(CronField.DAY_OF_WEEK)) {
      throw refused(
          "in five fields, only one of day of month and day of week can be restricted. For days"
              + " that match either, say it with two schedules; for days that match both, write the"
              + " second as a sixth field in front");
    }
    return found;
  }

  private boolean restricts(CronField field) {
    return !ANY.contains(text(field));
  }

  private String text(CronField field) {
    return fields.get(field.ordinal());
  }

  /** By the rule of Vixie's cron. */
  Kind kind() {
    boolean isInterval =
        text(CronField.HOUR).startsWith("*") || text(CronField.MINUTE).startsWith("*");
    return isInterval ? Kind.INTERVAL : Kind.FIXED;
  }

  /**
   * Reads the parts of a field, which are a list.
   *
   * @param part reads one; throws an {@link IllegalArgumentException} if it is not understood
   * @throws IllegalArgumentException with a message for the user
   */
  <T> List<T> parts(CronField field, Function<String, T> part) {
    boolean isDay = field == CronField.DAY_OF_MONTH || field == CronField.DAY_OF_WEEK;
    String text = isDay && !restricts(field) ? "*" : text(field).toUpperCase(Locale.ROOT);
    try {
      return List.of(text.split(",", -1)).stream().map(part).toList();
    } catch (IllegalArgumentException e) {
      throw refused(
          "\""
              + text(field)
              + "\" is not understood as "
              + field.allowed
              + ", *, and lists (1,2), ascending ranges (1-3) and steps (*/5) of these");
    }
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
