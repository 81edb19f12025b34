package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;

/**
 * The tables of one type, as they stood a moment ago.
 *
 * @param type the type
 * @param live begin..end, never empty: where unfinished tasks may lie
 * @param readable first..end, with the live ones at its end: where a task may be read
 * @param endRows rows of the end table that were given out to creators
 */
public record TaskFamily(
    TaskType type, List<TaskTable> live, List<TaskTable> readable, long endRows) {

  /** The table that new tasks go to. */
  public TaskTable end() {
    return live.get(live.size() - 1);
  }

  /** The first table that may hold unfinished tasks. */
  public TaskTable begin() {
    return live.get(0);
  }

  /** The tables behind begin that have not been dropped. */
  public List<TaskTable> drained() {
    return readable.subList(0, readable.size() - live.size());
  }

  /** Whether a task of this table can be read; false for one that was never made or is dropped. */
  public boolean has(TaskTable table) {
    return isOfThisType(table)
        && table.number() >= readable.get(0).number()
        && table.number() <= end().number();
  }

  /** Whether the table was there once, and its time was up. */
  public boolean hasDropped(TaskTable table) {
    return isOfThisType(table) && table.number() < readable.get(0).number();
  }

  private boolean isOfThisType(TaskTable table) {
    return table.type().equals(type);
  }
}
