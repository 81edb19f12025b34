package io.asyncflow.flowsvr.index;

import io.asyncflow.rules.TaskTable;

/**
 * A range of an index of a task table, whose entries lie in the order of a page.
 *
 * @param index which one it is
 * @param source of {@link Index#CLAIM}
 * @param user of {@link Index#USER}
 */
public record IndexRange(TaskTable table, Index index, Source source, String user) {

  /** The indexes of task tables. */
  public enum Index {
    PRIMARY("PRIMARY"),
    USER("idx_user"),
    CLAIM("idx_claim");

    private final String sqlName;

    Index(String sqlName) {
      this.sqlName = sqlName;
    }

    public String sqlName() {
      return sqlName;
    }
  }

  public static IndexRange ofTable(TaskTable table) {
    return new IndexRange(table, Index.PRIMARY, null, null);
  }

  public static IndexRange ofUser(TaskTable table, String user) {
    return new IndexRange(table, Index.USER, null, user);
  }

  public static IndexRange ofSource(Source source) {
    return new IndexRange(source.table(), Index.CLAIM, source, null);
  }
}
