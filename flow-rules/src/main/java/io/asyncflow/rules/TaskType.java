package io.asyncflow.rules;

import java.util.Locale;
import java.util.Optional;

/**
 * The name of a task type, in lower case and validated. It is the only text from outside that
 * becomes part of a table name.
 *
 * @param name matches {@code [a-z][a-z0-9_]{0,30}} and does not end in {@code _task} or {@code
 *     _task_} and digits, so that a task id can be parsed from its right end
 */
public record TaskType(String name) implements Comparable<TaskType> {

  /** What a name must be, as a message continues after the name of the field. */
  public static final String RULE =
      "must match [a-z][a-z0-9_]{0,30} without regard to case, and not end in _task or _task_ and"
          + " digits";

  private static final int MAX_LENGTH = 31;
  private static final String TASK = "_task";
  private static final String RESERVED = "flow_";

  public TaskType {
    if (!isValid(name)) {
      throw new IllegalArgumentException("not a task type: " + name);
    }
  }

  /** Parses a type name, ignoring case; empty if {@code text} is none or {@code null}. */
  public static Optional<TaskType> parse(String text) {
    // The lower case of a character outside ASCII may be an ASCII letter (the Kelvin sign becomes
    // k), but the database does not treat the two as the same name.
    if (text == null || text.length() > MAX_LENGTH || !isAscii(text)) {
      return Optional.empty();
    }
    String lower = text.toLowerCase(Locale.ROOT);
    return isValid(lower) ? Optional.of(new TaskType(lower)) : Optional.empty();
  }

  /** Whether the type is one of the server itself, which no client creates or holds tasks of. */
  public boolean isReserved() {
    return name.startsWith(RESERVED);
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 127) {
        return false;
      }
    }
    return true;
  }

  // Without regular expressions, because every id of every report is parsed.
  private static boolean isValid(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH || !isLetter(name.charAt(0))) {
      return false;
    }
    for (int i = 1; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!isLetter(c) && !isDigit(c) && c != '_') {
        return false;
      }
    }
    return !endsLikeTableName(name);
  }

  private static boolean endsLikeTableName(String name) {
    int end = name.length();
    while (isDigit(name.charAt(end - 1))) { // the first is a letter
      end--;
    }
    boolean isNumbered = end < name.length() && name.charAt(end - 1) == '_';
    return name.endsWith(TASK) || isNumbered && name.startsWith(TASK, end - 1 - TASK.length());
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  @Override
  public int compareTo(TaskType other) {
    return name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}
