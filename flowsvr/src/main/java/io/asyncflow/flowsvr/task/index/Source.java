package io.asyncflow.flowsvr.task.index;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskTable;

/**
 * The tasks of one status, one stage and one {@link Lane} in one table. The empty stage, which no
 * task has, is before all others.
 */
public record Source(TaskTable table, TaskStatus status, String stage, String lane) {

  /** The waiting tasks of a lane. */
  public Source(TaskTable table, String stage, String lane) {
    this(table, TaskStatus.WAITING, stage, lane);
  }

  /** The waiting tasks that every worker may hold. */
  public Source(TaskTable table, String stage) {
    this(table, stage, Lane.OPEN);
  }

  /** The place before all stages of a table. */
  public static Source before(TaskTable table, TaskStatus status) {
    return new Source(table, status, "", Lane.OPEN);
  }

  /** Whether every worker may hold its tasks. */
  public boolean isOpen() {
    return lane.equals(Lane.OPEN);
  }
}
