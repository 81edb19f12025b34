package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.rules.TaskTable;

/** Where the tasks of a table go before the table is dropped. */
public interface TableArchive {

  /**
   * Writes the whole table down, or does nothing where nobody asked for an archive.
   *
   * <p>May be called again for a table that was written before.
   *
   * @param table one that nobody changes any more
   * @throws java.io.UncheckedIOException if it cannot be written; the table stays
   */
  void write(TaskTable table);
}
