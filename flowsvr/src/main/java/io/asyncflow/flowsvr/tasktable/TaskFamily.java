package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.List;

/**
 * The tables of one type, as they stood a moment ago.
 *
 * @param type the type
 * @param live begin..end, never empty: where unfinished tasks may lie
 * @param readable 1..end: where a task may be read
 */
public record TaskFamily(TaskType type, List<TaskTable> live, List<TaskTable> readable) {

  /** The table that new tasks go to. */
  public TaskTable end() {
    return live.get(live.size() - 1);
  }

  /** Whether a task of this table can be read; false for a table that was never made. */
  public boolean has(TaskTable table) {
    return readable.contains(table);
  }
}
