package io.asyncflow.flowsvr.tasktable.schema;

import io.asyncflow.flowsvr.system.db.DatabaseClock;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A statement over one table of a family: a text whose {@code %s} is the table's name, and whose
 * {@code now_ms} is the database's clock, filled in once a table, and remembered while there are
 * not too many.
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
    this.text = DatabaseClock.sql(text);
  }

  /** Tables, or what has one, in groups, in order; each for one statement with a part for all. */
  public static <T> List<List<T>> groups(List<T> all) {
    List<List<T>> groups = new ArrayList<>();
    for (int from = 0; from < all.size(); from += TABLES_A_STATEMENT) {
      groups.add(all.subList(from, Math.min(from + TABLES_A_STATEMENT, all.size())));
    }
    return groups;
  }

  /**
   * One statement that asks all of these tables: what it tells of each follows a first column,
   * {@code source}, the place of the table in the list.
   */
  public String ofAll(List<TaskTable> tables) {
    StringBuilder sql = new StringBuilder();
    for (int i = 0; i < tables.size(); i++) {
      sql.append(i == 0 ? "" : "UNION ALL\n");
      sql.append("SELECT ").append(i).append(" AS source, part.*\nFROM (\n");
      sql.append(of(tables.get(i))).append(") part\n");
    }
    return sql.toString();
  }

  /** The statement over this table. */
  public String of(TaskTable table) {
    if (filled.size() >= MOST_TABLES && !filled.containsKey(table)) {
      filled.clear(); // those in use are back at once
    }
    return filled.computeIfAbsent(table, t -> text.replace("%s", t.sqlName()));
  }
}
