package io.asyncflow.flowsvr.task.table;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;

/**
 * The tables of one type at the time of a read.
 *
 * @param type the type
 * @param live begin..end, never empty: the tables that may have unfinished tasks
 * @param readable first..end, the live ones last: the tables that can be read
 * @param endRows rows of the end table that were allotted to servers
 * @param hasLanes whether it ever had a task that only some workers may hold
 */
public record TaskFamily(
    TaskType type, List<TaskTable> live, List<TaskTable> readable, long endRows, boolean hasLanes) {

  /** The table that new tasks go to. */
  public TaskTable end() {
    return live.get(live.size() - 1);
  }

  /** The first table that may have unfinished tasks. */
  public TaskTable begin() {
    return live.get(0);
  }

  /** The tables behind begin that can still be read. */
  public List<TaskTable> drained() {
    return readable.subList(0, readable.size() - live.size());
  }

  /**
   * Whether tasks of this table can be read; false for a table that was never created or was given
   * up.
   */
  public boolean has(TaskTable table) {
    return isOfThisType(table)
        && table.number() >= readable.get(0).number()
        && table.number() <= end().number();
  }

  /** Whether the table existed and was given up. */
  public boolean hasDropped(TaskTable table) {
    return isOfThisType(table) && table.number() < readable.get(0).number();
  }

  private boolean isOfThisType(TaskTable table) {
    return table.type().equals(type);
  }
}
