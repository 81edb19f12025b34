package io.asyncflow.flowsvr.search;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.TaskTable;

/**
 * A range of an index of a task table, whose entries lie in the order of a search.
 *
 * @param index which one it is
 * @param status of {@link Index#CLAIM}
 * @param name the stage of {@link Index#CLAIM}, the user of {@link Index#USER}
 * @param lane of {@link Index#CLAIM}
 */
record IndexRange(TaskTable table, Index index, TaskStatus status, String name, String lane) {

  /** The indexes of task tables. */
  enum Index {
    PRIMARY("PRIMARY"),
    USER("idx_user"),
    CLAIM("idx_claim");

    private final String sqlName;

    Index(String sqlName) {
      this.sqlName = sqlName;
    }

    String sqlName() {
      return sqlName;
    }
  }

  static IndexRange ofAll(TaskTable table) {
    return new IndexRange(table, Index.PRIMARY, null, null, null);
  }

  static IndexRange ofUser(TaskTable table, String user) {
    return new IndexRange(table, Index.USER, null, user, null);
  }

  static IndexRange ofSource(TaskTable table, TaskStatus status, String stage, String lane) {
    return new IndexRange(table, Index.CLAIM, status, stage, lane);
  }
}
