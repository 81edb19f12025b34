package io.asyncflow.flowsvr.governance;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import java.time.Duration;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of the invariant auditor. */
@Component
class AuditorStore {

  /**
   * A lease that lasts longer than any hold could have granted, or a report of a hold that has not
   * ended: no sweep could take such a task back.
   */
  private static final String ENDLESS =
      """
      status = 2
        AND (lease_end > now_ms + :longest OR reported_epoch >= lease_epoch)
      """
          .replace("now_ms", NOW_MS);

  /** Executing tasks are few, so looking at all of them is cheap. */
  private static final TableSql ENDLESS_LEASES =
      new TableSql("SELECT id FROM %s FORCE INDEX (idx_claim) WHERE " + ENDLESS + "LIMIT :limit");

  private static final TableSql END_LEASES =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET lease_end = LEAST(lease_end, now_ms),
              lease_epoch = GREATEST(lease_epoch, reported_epoch + 1)
          WHERE id IN (:ids)
            AND\s"""
                  .replace("now_ms", NOW_MS)
              + ENDLESS);

  private final JdbcClient jdbc;

  AuditorStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Numbers of tasks under a lease that no sweep could end. */
  List<Long> endlessLeases(TaskTable table, Duration longest, int limit) {
    return jdbc.sql(ENDLESS_LEASES.of(table))
        .param("longest", longest.toMillis())
        .param("limit", limit)
        .query(Long.class)
        .list();
  }

  /** Ends those of the leases that still are such; the sweep does the rest. */
  int endLeases(TaskTable table, List<Long> numbers, Duration longest) {
    return jdbc.sql(END_LEASES.of(table))
        .param("ids", numbers)
        .param("longest", longest.toMillis())
        .update();
  }
}
