package io.asyncflow.flowsvr.task;

import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A task's id, {@code {number}_{type}_task_{n}}: it names the row and, for ever, its table.
 *
 * @param number time-ordered, unique over all tables, the row's primary key
 * @param table where the row lies
 */
public record TaskId(long number, TaskTable table) {

  private static final Pattern FORM =
      Pattern.compile("([1-9][0-9]{0,18})_([a-z][a-z0-9_]*)_task_([1-9][0-9]{0,8})");

  /** The id that {@code text} spells; empty if it spells none. */
  public static Optional<TaskId> parse(String text) {
    if (text == null || text.length() > 128) {
      return Optional.empty();
    }
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Optional<TaskType> type = TaskType.parse(matcher.group(2));
    try {
      long number = Long.parseLong(matcher.group(1));
      int tableNumber = Integer.parseInt(matcher.group(3));
      return type.map(t -> new TaskId(number, new TaskTable(t, tableNumber)));
    } catch (NumberFormatException e) {
      return Optional.empty(); // more than 63 bits
    }
  }

  public TaskType type() {
    return table.type();
  }

  @Override
  public String toString() {
    return number + "_" + table.type().name() + "_task_" + table.number();
  }
}
