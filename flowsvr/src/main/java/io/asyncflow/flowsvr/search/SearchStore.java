package io.asyncflow.flowsvr.search;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.index.IndexRange.Index;
import io.asyncflow.flowsvr.index.RangeStore;
import io.asyncflow.flowsvr.search.words.TaskFilter;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
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
  private final RangeStore ranges;

  SearchStore(ReadDatabase reads) {
    this.jdbc = reads.client();
    this.ranges = new RangeStore(jdbc);
  }

  RangeStore ranges() {
    return ranges;
  }

  /** What a search reads of ranges, and tests of their entries. */
  static RangeStore.Test test(TaskFilter filter) {
    return new RangeStore.Test() {

      @Override
      public String within(Index index, List<Object> values) {
        if (index != Index.CLAIM) {
          Collections.addAll(values, filter.beyond(), filter.lowest());
          return "  AND id < ?\n  AND id >= ?\n";
        }
        if (filter.due().isAlways()) {
          return "";
        }
        Collections.addAll(values, filter.due().from(), filter.due().to());
        return "  AND order_time >= ?\n  AND order_time < ?\n";
      }

      @Override
      public String fits(Index index, List<Object> values) {
        return SearchStore.fits(filter, index, values);
      }
    };
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
    if (!filter.workers().isAll()) {
      tests.add(filter.workers().test("worker_id", values));
    }
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
