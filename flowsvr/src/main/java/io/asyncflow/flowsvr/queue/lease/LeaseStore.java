package io.asyncflow.flowsvr.queue.lease;

import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
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
            AND (lease_end <= :until OR lease_end <= now_ms AND hold_time <= now_ms - :longest)
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
                AND (lease_end <= :until OR lease_end <= now_ms AND hold_time <= now_ms - :longest)
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
   * Which leases are to be ended: those that ran out by a time, and all that ran out and whose
   * attempt is over.
   *
   * @param until epoch ms, at most the present
   * @param maxProcessingTime of the type
   */
  public record Ending(long until, Duration maxProcessingTime) {}

  /**
   * Counts the leases of a {@link io.asyncflow.flowsvr.task.table.schema.TableSql#groups group} of
   * tables in one statement.
   */
  public List<LeaseCount> count(List<TaskTable> tables) {
    return jdbc.sql(COUNT_LEASES.ofAll(tables))
        .query((rs, row) -> new LeaseCount(tables.get(rs.getInt(3)), rs.getLong(1), rs.getLong(2)))
        .list();
  }

  /**
   * Some tasks whose lease is to be ended. They are not locked, so another server may have ended
   * their holds.
   *
   * @param passedOver how many of them to pass over; their order is that of the index
   */
  public List<TaskId> expired(TaskTable table, Ending ending, int passedOver, int limit) {
    return statement(EXPIRED, table, ending)
        .param("limit", limit)
        .param("passedOver", passedOver)
        .query(Long.class)
        .list()
        .stream()
        .map(number -> new TaskId(number, table))
        .toList();
  }

  /**
   * Locks those of the tasks whose lease is to be ended, except those locked by other transactions.
   */
  public List<TaskRow> lockExpired(TaskTable table, Ending ending, Collection<Long> numbers) {
    return statement(LOCK_EXPIRED, table, ending)
        .param("ids", numbers)
        .query(TaskStore.rowsOf(table))
        .list();
  }

  private StatementSpec statement(TableSql sql, TaskTable table, Ending ending) {
    return jdbc.sql(sql.of(table))
        .param("until", ending.until())
        .param("longest", ending.maxProcessingTime().toMillis());
  }
}
