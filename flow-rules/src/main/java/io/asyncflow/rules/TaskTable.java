package io.asyncflow.rules;

/**
 * One table of a type's family. It is the only place that builds a table name.
 *
 * @param type a valid type name, so that the table name is safe in SQL
 * @param number from 1
 */
public record TaskTable(TaskType type, int number) implements Comparable<TaskTable> {

  public TaskTable {
    if (number < 1) {
      throw new IllegalArgumentException("tables are numbered from 1, not " + number);
    }
  }

  /** The table's name, as {@code t_lark_task_3}. */
  public String sqlName() {
    return "t_" + type.name() + "_task_" + number;
  }

  @Override
  public int compareTo(TaskTable other) {
    int byType = type.compareTo(other.type);
    return byType != 0 ? byType : Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return sqlName();
  }
}
