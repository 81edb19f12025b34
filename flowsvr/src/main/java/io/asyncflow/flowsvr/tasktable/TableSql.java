package io.asyncflow.flowsvr.tasktable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A statement over one table of a family: a text whose {@code %s} is the table's name, filled in
 * once a table.
 *
 * <p>Thread-safe. A text that needs further parts (a list of columns, the clock) is joined from
 * constants before; nothing but a {@link TaskTable} is ever put in here.
 */
public final class TableSql {

  private final String text;
  private final Map<TaskTable, String> filled = new ConcurrentHashMap<>();

  public TableSql(String text) {
    this.text = text;
  }

  public String of(TaskTable table) {
    return filled.computeIfAbsent(table, t -> text.replace("%s", t.sqlName()));
  }
}
