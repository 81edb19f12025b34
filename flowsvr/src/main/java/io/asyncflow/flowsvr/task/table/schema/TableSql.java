package io.asyncflow.flowsvr.task.table.schema;

import io.asyncflow.flowsvr.base.system.db.DatabaseClock;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.rules.TaskTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A statement over one table of a family: a text in which {@code %s} is replaced by the table's
 * name and {@code now_ms} by the database's clock. The texts of up to {@value #MAX_TABLES} tables
 * are cached.
 *
 * <p>Only a {@link TaskTable} is ever inserted; other parts, such as lists of columns, are
 * constants. Thread-safe.
 */
public final class TableSql {

  /**
   * The most cached texts; then the cache is cleared, because dropped tables remain in it and
   * filling in a text takes a microsecond.
   */
  private static final int MAX_TABLES = 100;

  /** The most tables of one statement; an engine still plans as many parts quickly. */
  private static final int MAX_TABLES_PER_STATEMENT = 50;

  private final String text;
  private final Map<TaskTable, String> cache = new ConcurrentHashMap<>();

  public TableSql(String text) {
    this.text = DatabaseClock.sql(text);
  }

  /**
   * Splits tables, or items that have one, into groups, in order; one statement can read a group.
   */
  public static <T> List<List<T>> groups(List<T> items) {
    return StatementGroups.of(items, MAX_TABLES_PER_STATEMENT);
  }

  /**
   * One statement that reads all of these tables. Its last column, {@code source}, is the index of
   * the table in the list.
   */
  public String ofAll(List<TaskTable> tables) {
    StringBuilder sql = new StringBuilder();
    for (int i = 0; i < tables.size(); i++) {
      sql.append(i == 0 ? "" : "UNION ALL\n");
      sql.append("SELECT part.*, ").append(i).append(" AS source\nFROM (\n");
      sql.append(of(tables.get(i))).append(") part\n");
    }
    return sql.toString();
  }

  /** The statement over this table. */
  public String of(TaskTable table) {
    if (cache.size() >= MAX_TABLES && !cache.containsKey(table)) {
      cache.clear(); // texts in use are cached again at once
    }
    return cache.computeIfAbsent(table, t -> text.replace("%s", t.sqlName()));
  }
}
