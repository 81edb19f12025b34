package io.asyncflow.flowsvr.task.table;

import io.asyncflow.rules.TaskTable;

/** Archives the tasks of a table before it is dropped. */
public interface TableArchive {

  /**
   * Writes the whole table to the archive; does nothing if no archive is configured.
   *
   * <p>May be called again for a table that is archived already.
   *
   * @param table a table that does not change any more
   * @throws java.io.UncheckedIOException if it cannot be written; then the table is not dropped
   */
  void write(TaskTable table);
}
