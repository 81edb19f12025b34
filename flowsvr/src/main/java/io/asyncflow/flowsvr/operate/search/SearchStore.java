package io.asyncflow.flowsvr.operate.search;

import static java.util.stream.Collectors.toList;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.search.IndexRange.Index;
import io.asyncflow.flowsvr.operate.search.words.TaskFilter;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of searches. Each reads at most as many entries as it is told. Thread-safe. */
@Component
class SearchStore {

  /** The most executing tasks that are read of a table. */
  static final int MOST_EXECUTING = 1_000;

  private static final TableSql EXECUTING =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS_BUT_CONTENTS.replace("schedule_log", "'' AS schedule_log")
              + """

              FROM %s FORCE INDEX (idx_claim)
              WHERE status = 2
              LIMIT\s"""
              + MOST_EXECUTING
              + "\n");

  private static final String BY_IDS = "\nFROM %s FORCE INDEX (PRIMARY)\nWHERE id IN (";

  private final JdbcClient jdbc;

  SearchStore(ReadDatabase reads) {
    this.jdbc = reads.client();
  }

  /** An entry of an index of a table. */
  record Entry(TaskTable table, Position at, boolean fits) {}

  /** What a search reads: in which order, from where on, and what each entry is tested for. */
  record Look(TaskFilter filter, SearchOrder order, Position after) {}

  private static String part(int source, String text, TaskTable table) {
    return "SELECT %s AS source, part.*\nFROM (\n%s) part\n"
        .formatted(source, new TableSql(text).of(table));
  }

  /** The first entries of each range, in the order of the search. */
  List<List<Entry>> heads(List<IndexRange> ranges, Look look, int limit) {
    List<List<Entry>> heads = new ArrayList<>();
    for (List<IndexRange> group : TableSql.groups(ranges)) {
      List<List<Entry>> found =
          group.stream().map(range -> new ArrayList<Entry>()).collect(toList());
      List<Object> values = new ArrayList<>();
      List<String> parts = new ArrayList<>();
      for (IndexRange range : group) {
        parts.add(part(parts.size(), sql(range, look, limit, values), range.table()));
      }
      jdbc.sql(String.join("UNION ALL\n", parts))
          .params(values)
          .query(
              rs -> {
                int source = rs.getInt("source");
                found.get(source).add(entry(group.get(source).table(), rs));
              });
      Comparator<Position> order = Position.in(look.order());
      found.forEach(entries -> entries.sort(Comparator.comparing(Entry::at, order)));
      heads.addAll(found);
    }
    return heads;
  }

  private static Entry entry(TaskTable table, ResultSet rs) throws SQLException {
    return new Entry(
        table, new Position(rs.getLong("place"), rs.getLong("id")), rs.getBoolean("fits"));
  }

  /** The next entries of a range, in the order of the search. */
  List<Entry> read(IndexRange range, Look look, int limit) {
    List<Object> values = new ArrayList<>();
    String sql = new TableSql(sql(range, look, limit, values)).of(range.table());
    return jdbc.sql(sql).params(values).query((rs, row) -> entry(range.table(), rs)).list();
  }

  private static String sql(IndexRange range, Look look, int limit, List<Object> values) {
    boolean isByDue = range.index() == Index.CLAIM;
    String direction = look.order() == SearchOrder.DUE ? "" : " DESC";
    StringBuilder sql = new StringBuilder("SELECT ");
    sql.append(isByDue ? "order_time" : "id").append(" AS place, id, ");
    sql.append(fits(look.filter(), range.index(), values)).append(" AS fits\n");
    sql.append("FROM %s FORCE INDEX (").append(range.index().sqlName).append(")\nWHERE ");
    sql.append(
        switch (range.index()) {
          case PRIMARY -> ofNumbers(look, values);
          case USER -> {
            values.add(range.user());
            yield "user_id = ?\n  AND " + ofNumbers(look, values);
          }
          case CLAIM -> ofSource(range, look, values);
        });
    sql.append("ORDER BY ").append(isByDue ? "order_time" + direction + ", " : "");
    sql.append("id").append(direction).append("\nLIMIT ").append(limit).append('\n');
    return sql.toString();
  }

  private static String ofNumbers(Look look, List<Object> values) {
    long beyond = look.filter().beyond();
    values.add(look.after() == null ? beyond : Math.min(beyond, look.after().number()));
    values.add(look.filter().lowest());
    return "id < ?\n  AND id >= ?\n";
  }

  private static String ofSource(IndexRange range, Look look, List<Object> values) {
    StringBuilder sql = new StringBuilder();
    sql.append("status = ").append(range.source().status().code());
    sql.append("\n  AND task_stage = ?\n  AND lane = ?\n");
    values.add(range.source().stage());
    values.add(range.source().lane());
    if (!look.filter().due().isAlways()) {
      sql.append("  AND order_time >= ?\n  AND order_time < ?\n");
      values.add(look.filter().due().from());
      values.add(look.filter().due().to());
    }
    Position after = look.after();
    if (after != null) {
      String beyond = look.order() == SearchOrder.DUE ? ">" : "<";
      sql.append("  AND (order_time <> ? OR order_time = ? AND id <> ?)\n".replace("<>", beyond));
      values.addAll(List.of(after.order(), after.order(), after.number()));
    }
    return sql.toString();
  }

  /** The test of an entry's task, beside what its range says of it already. */
  private static String fits(TaskFilter filter, Index index, List<Object> values) {
    List<String> tests = new ArrayList<>();
    if (index != Index.CLAIM) {
      oneOf(tests, "status", filter.statuses().stream().map(TaskStatus::code).toList(), values);
      oneOf(tests, "task_stage", filter.stages(), values);
      if (!filter.due().isAlways()) {
        tests.add("order_time >= ? AND order_time < ?");
        values.add(filter.due().from());
        values.add(filter.due().to());
      }
    } else if (!filter.created().isAlways()) {
      tests.add("id >= ? AND id < ?");
      values.add(filter.lowest());
      values.add(filter.beyond());
    }
    if (index != Index.USER) {
      oneOf(tests, "user_id", filter.users(), values);
    }
    workers(tests, filter, values);
    if (filter.retriesAbove() != null) {
      tests.add("crt_retry_num > ?");
      values.add(filter.retriesAbove());
    }
    if (filter.retriesBelow() != null) {
      tests.add("crt_retry_num < ?");
      values.add(filter.retriesBelow());
    }
    texts(tests, filter.texts(), values);
    return tests.isEmpty() ? "1" : "COALESCE(" + String.join(" AND ", tests) + ", 0)";
  }

  private static void workers(List<String> tests, TaskFilter filter, List<Object> values) {
    if (filter.workers().isAll()) {
      return;
    }
    List<String> oneOf = new ArrayList<>();
    oneOf(oneOf, "worker_id", filter.workers().listed(), values);
    for (String beginning : filter.workers().prefixes()) {
      oneOf.add("LEFT(worker_id, " + beginning.codePointCount(0, beginning.length()) + ") = ?");
      values.add(beginning);
    }
    tests.add("(" + String.join(" OR ", oneOf) + ")");
  }

  private static void texts(List<String> tests, Set<String> texts, List<Object> values) {
    List<String> oneOf = new ArrayList<>();
    for (String text : texts) {
      for (String column : List.of("task_context", "result", "schedule_log")) {
        oneOf.add("COALESCE(LOCATE(?, " + column + "), 0) > 0");
        values.add(text);
      }
    }
    if (!oneOf.isEmpty()) {
      tests.add("(" + String.join(" OR ", oneOf) + ")");
    }
  }

  private static void oneOf(
      List<String> tests, String column, Collection<?> names, List<Object> values) {
    if (!names.isEmpty()) {
      tests.add(column + " IN (" + marks(names.size()) + ")");
      values.addAll(names);
    }
  }

  private static String marks(int count) {
    return "?" + ", ?".repeat(count - 1);
  }

  /** The rows with these numbers that there are, without contents, in no order. */
  List<TaskRow> rows(TaskTable table, Collection<Long> numbers) {
    String sql = "SELECT " + TaskStore.COLUMNS_BUT_CONTENTS + BY_IDS + marks(numbers.size()) + ")";
    return jdbc.sql(new TableSql(sql).of(table))
        .params(List.copyOf(numbers))
        .query(TaskStore.rowsOf(table))
        .list();
  }

  /** Those of these numbers whose rows have one of the texts. */
  List<Long> withTexts(TaskTable table, Collection<Long> numbers, Set<String> texts) {
    List<Object> values = new ArrayList<>(numbers);
    List<String> test = new ArrayList<>();
    texts(test, texts, values);
    String sql = "SELECT id" + BY_IDS + marks(numbers.size()) + ")\n  AND " + test.get(0);
    return jdbc.sql(new TableSql(sql).of(table)).params(values).query(Long.class).list();
  }

  /**
   * How far a task has come.
   *
   * @param progress per cent; {@code null} if it has told none
   */
  record Progress(long number, TaskStatus status, Integer progress) {}

  /** How far the tasks with these numbers have come, in no order. */
  List<Progress> progress(TaskTable table, Collection<Long> numbers) {
    String sql = "SELECT id, status, progress" + BY_IDS + marks(numbers.size()) + ")";
    return jdbc.sql(new TableSql(sql).of(table))
        .params(List.copyOf(numbers))
        .query(
            (rs, row) ->
                new Progress(
                    rs.getLong("id"),
                    TaskStatus.ofCode(rs.getInt("status")),
                    rs.getObject("progress", Integer.class)))
        .list();
  }

  /** Executing tasks of these tables, without contents and logs, in no order. */
  List<TaskRow> executing(List<TaskTable> tables, int limit) {
    return jdbc.sql(EXECUTING.ofAll(tables) + "LIMIT " + limit)
        .query((rs, row) -> TaskStore.rowsOf(tables.get(rs.getInt("source"))).mapRow(rs, row))
        .list();
  }
}
