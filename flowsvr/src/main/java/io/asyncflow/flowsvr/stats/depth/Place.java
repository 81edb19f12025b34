package io.asyncflow.flowsvr.stats.depth;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.TaskTable;

/**
 * The tasks of one status, stage and lane in one table: a contiguous part of {@code idx_claim}, in
 * the order of their times.
 */
public record Place(TaskTable table, TaskStatus status, String stage, String lane) {

  /** Before all stages of a table. */
  static Place before(TaskTable table, TaskStatus status) {
    return new Place(table, status, "", "");
  }
}
