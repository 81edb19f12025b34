package io.asyncflow.flowsvr.tasktype;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of a task type, in lower case and checked: the only text from outside that ever becomes
 * part of a table's name.
 *
 * @param name matches {@code [a-z][a-z0-9_]{0,30}} and does not end in {@code _task} or {@code
 *     _task_} and digits, so that a task id can be parsed from its right end
 */
public record TaskType(String name) {

  private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9_]{0,30}");
  private static final Pattern LIKE_A_TABLE = Pattern.compile(".*_task(_[0-9]+)?");

  public TaskType {
    if (!isValid(name)) {
      throw new IllegalArgumentException("not a task type: " + name);
    }
  }

  /** The type that {@code text} names without regard to case; empty if it names none. */
  public static Optional<TaskType> parse(String text) {
    if (text == null) {
      return Optional.empty();
    }
    String lower = text.toLowerCase(Locale.ROOT);
    return isValid(lower) ? Optional.of(new TaskType(lower)) : Optional.empty();
  }

  private static boolean isValid(String name) {
    return VALID.matcher(name).matches() && !LIKE_A_TABLE.matcher(name).matches();
  }

  @Override
  public String toString() {
    return name;
  }
}
