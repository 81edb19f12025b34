package io.asyncflow.flowsvr.governance;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of the invariant auditor. */
@Component
class AuditorStore {

  /**
   * A lease longer than any hold can grant, or a recorded report of a hold that has not ended. No
   * sweep returns such a task.
   */
  private static final String ENDLESS =
      sql(
          """
      status = 2
        AND (lease_end > now_ms + :longest OR reported_epoch >= lease_epoch)
      """);

  /** Executing tasks are few, so looking at all of them is cheap. */
  private static final TableSql ENDLESS_LEASES =
      new TableSql(
          "SELECT id FROM %s FORCE INDEX (idx_claim) WHERE "
              + ENDLESS.replace(":longest", "?")
              + "LIMIT ?");

  private static final TableSql END_LEASES =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET lease_end = LEAST(lease_end, now_ms),
              lease_epoch = GREATEST(lease_epoch, reported_epoch + 1)
          WHERE id IN (:ids)
            AND\s"""
              + ENDLESS);

  private final JdbcClient jdbc;

  AuditorStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Tasks of a few tables whose lease no sweep would end, with one statement.
   *
   * @param longest the longest possible lease of each table
   * @param limit of each table
   */
  List<TaskId> endlessLeases(
      List<TaskTable> tables, Function<TaskTable, Duration> longest, int limit) {
    List<Object> values = new ArrayList<>();
    tables.forEach(table -> values.addAll(List.of(longest.apply(table).toMillis(), limit)));
    return jdbc.sql(ENDLESS_LEASES.ofAll(tables))
        .params(values)
        .query((rs, row) -> new TaskId(rs.getLong("id"), tables.get(rs.getInt("source"))))
        .list();
  }

  /** Ends the leases that are still endless; the sweep does the rest. */
  int endLeases(TaskTable table, List<Long> numbers, Duration longest) {
    return jdbc.sql(END_LEASES.of(table))
        .param("ids", numbers)
        .param("longest", longest.toMillis())
        .update();
  }
}
