package io.asyncflow.rules;

import java.util.Optional;

/**
 * A task's id, {@code {number}_{type}_task_{n}}. It names the row and its table, and never changes.
 *
 * @param number time-ordered, unique over all tables, the row's primary key
 * @param table the table of the row
 */
public record TaskId(long number, TaskTable table) {

  private static final int MAX_LENGTH = 128;
  private static final String TASK = "_task_";
  private static final int NUMBER_DIGITS = 19;
  private static final int TABLE_DIGITS = 9;

  /** Parses an id; empty if {@code text} is none or {@code null}. */
  public static Optional<TaskId> parse(String text) {
    if (text == null || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    int numberEnd = text.indexOf('_');
    int typeEnd = text.lastIndexOf(TASK);
    int tableBegin = typeEnd + TASK.length();
    if (typeEnd <= numberEnd
        || !isNumber(text, 0, numberEnd, NUMBER_DIGITS)
        || !isNumber(text, tableBegin, text.length(), TABLE_DIGITS)) {
      return Optional.empty();
    }
    String type = text.substring(numberEnd + 1, typeEnd);
    try {
      long number = Long.parseLong(text, 0, numberEnd, 10);
      int table = Integer.parseInt(text, tableBegin, text.length(), 10);
      return TaskType.parse(type)
          .filter(parsed -> parsed.name().equals(type)) // ids have no capital letters
          .map(parsed -> new TaskId(number, new TaskTable(parsed, table)));
    } catch (NumberFormatException e) {
      return Optional.empty(); // more than 63 bits
    }
  }

  /** Whether the range is a number without leading zeros. */
  private static boolean isNumber(String text, int begin, int end, int most) {
    if (begin >= end || end - begin > most || text.charAt(begin) == '0') {
      return false;
    }
    for (int i = begin; i < end; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  public TaskType type() {
    return table.type();
  }

  @Override
  public String toString() {
    return number + "_" + table.type().name() + "_task_" + table.number();
  }
}
