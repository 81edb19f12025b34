package io.asyncflow.flowsvr.operate.search;

import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.rules.TaskTable;

/**
 * A range of an index of a task table, whose entries lie in the order of a search.
 *
 * @param index which one it is
 * @param source of {@link Index#CLAIM}
 * @param user of {@link Index#USER}
 */
record IndexRange(TaskTable table, Index index, Source source, String user) {

  /** The indexes of task tables. */
  enum Index {
    PRIMARY("PRIMARY"),
    USER("idx_user"),
    CLAIM("idx_claim");

    final String sqlName;

    Index(String sqlName) {
      this.sqlName = sqlName;
    }
  }

  static IndexRange ofSource(Source source) {
    return new IndexRange(source.table(), Index.CLAIM, source, null);
  }
}
