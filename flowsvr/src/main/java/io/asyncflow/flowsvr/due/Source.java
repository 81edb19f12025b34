package io.asyncflow.flowsvr.due;

import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskTable;

/** The waiting tasks of one stage and one {@link Lane} in one table. */
public record Source(TaskTable table, String stage, String lane) {

  /** The tasks that every worker may hold. */
  public Source(TaskTable table, String stage) {
    this(table, stage, Lane.OPEN);
  }

  /** Whether every worker may hold its tasks. */
  public boolean isOpen() {
    return lane.equals(Lane.OPEN);
  }
}
