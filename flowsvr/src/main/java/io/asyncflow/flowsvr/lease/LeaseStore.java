package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements that find expired leases. Thread-safe. */
@Component
public class LeaseStore {

  /** Reads only executing tasks, of which there are as many as workers run. */
  private static final TableSql EXPIRED =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 2
            AND lease_end <= now_ms
          LIMIT :limit OFFSET :passedOver
          """);

  private static final TableSql COUNT_LEASES =
      new TableSql(
          """
          SELECT COUNT(*) AS leases, COALESCE(SUM(lease_end <= now_ms), 0) AS expired
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 2
          """);

  private static final TableSql LOCK_EXPIRED =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS
              + """

              FROM %s FORCE INDEX (PRIMARY)
              WHERE id IN (:ids)
                AND status = 2
                AND lease_end <= now_ms
              ORDER BY id
              FOR UPDATE SKIP LOCKED
              """);

  private final JdbcClient jdbc;

  LeaseStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * The leases of a table.
   *
   * @param total the number of leases
   * @param expired the number of leases that have run out
   */
  public record LeaseCount(TaskTable table, long total, long expired) {}

  /**
   * Counts the leases of a {@link io.asyncflow.flowsvr.tasktable.schema.TableSql#groups group} of
   * tables in one statement.
   */
  public List<LeaseCount> count(List<TaskTable> tables) {
    return jdbc.sql(COUNT_LEASES.ofAll(tables))
        .query((rs, row) -> new LeaseCount(tables.get(rs.getInt(3)), rs.getLong(1), rs.getLong(2)))
        .list();
  }

  /**
   * Some tasks whose lease has run out. They are not locked, so another server may have ended their
   * holds.
   *
   * @param passedOver how many of them to pass over; their order is that of the index
   */
  public List<TaskId> expired(TaskTable table, int passedOver, int limit) {
    return jdbc
        .sql(EXPIRED.of(table))
        .param("limit", limit)
        .param("passedOver", passedOver)
        .query(Long.class)
        .list()
        .stream()
        .map(number -> new TaskId(number, table))
        .toList();
  }

  /**
   * Locks those of the tasks whose lease has run out, except those locked by other transactions.
   */
  public List<TaskRow> lockExpired(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(LOCK_EXPIRED.of(table))
        .param("ids", numbers)
        .query(TaskStore.rowsOf(table))
        .list();
  }
}
