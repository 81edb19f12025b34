package io.asyncflow.flowsvr.operate.governance;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TypeRules;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of the invariant auditor. */
@Component
class AuditorStore {

  /** A day beyond the longest lease, which has up to a day for the queue of an old worker. */
  private static final Duration LONGEST = TypeRules.LONGEST_UNHEARD.plusDays(2);

  /**
   * A lease longer than any hold of any type can grant, or a recorded report of a hold that has not
   * ended. No sweep returns such a task. The settings of its type say nothing: the hold may be
   * older than they are.
   */
  private static final String ENDLESS =
      sql(
          """
      status = 2
        AND (lease_end > now_ms + %s OR reported_epoch >= lease_epoch)
      """
              .formatted(LONGEST.toMillis()));

  /** Executing tasks are few, so looking at all of them is cheap. */
  private static final TableSql ENDLESS_LEASES =
      new TableSql("SELECT id FROM %s FORCE INDEX (idx_claim) WHERE " + ENDLESS + "LIMIT ?");

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
   * @param limit of each table
   */
  List<TaskId> endlessLeases(List<TaskTable> tables, int limit) {
    return jdbc.sql(ENDLESS_LEASES.ofAll(tables))
        .params(Collections.nCopies(tables.size(), limit))
        .query((rs, row) -> new TaskId(rs.getLong("id"), tables.get(rs.getInt("source"))))
        .list();
  }

  /** Ends the leases that are still endless; the sweep does the rest. */
  int endLeases(TaskTable table, List<Long> numbers) {
    return jdbc.sql(END_LEASES.of(table)).param("ids", numbers).update();
  }
}
