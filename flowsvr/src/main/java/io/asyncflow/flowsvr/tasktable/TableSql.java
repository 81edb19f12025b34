package io.asyncflow.flowsvr.tasktable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A statement over one table of a family: a text whose {@code %s} is the table's name, filled in
 * once a table, and remembered while there are not too many.
 *
 * <p>Thread-safe. A text that needs further parts (a list of columns, the clock) is joined from
 * constants before; nothing but a {@link TaskTable} is ever put in here.
 */
public final class TableSql {

  /** Tables come and go for years, and it takes a microsecond to fill a text in. */
  private static final int MOST_TABLES = 100;

  /** As many parts an engine still plans in no time. */
  private static final int TABLES_A_STATEMENT = 50;

  private final String text;
  private final Map<TaskTable, String> filled = new ConcurrentHashMap<>();

  public TableSql(String text) {
    this.text = text;
  }

  /** The tables in groups, in order, each for one statement with a part for every table. */
  public static List<List<TaskTable>> groups(List<TaskTable> tables) {
    List<List<TaskTable>> groups = new ArrayList<>();
    for (int from = 0; from < tables.size(); from += TABLES_A_STATEMENT) {
      groups.add(tables.subList(from, Math.min(from + TABLES_A_STATEMENT, tables.size())));
    }
    return groups;
  }

  /** The statement over this table. */
  public String of(TaskTable table) {
    if (filled.size() >= MOST_TABLES && !filled.containsKey(table)) {
      filled.clear(); // those in use are back at once
    }
    return filled.computeIfAbsent(table, t -> text.replace("%s", t.sqlName()));
  }
}
