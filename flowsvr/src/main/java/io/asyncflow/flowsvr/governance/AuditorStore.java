package io.asyncflow.flowsvr.governance;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of the invariant auditor. */
@Component
class AuditorStore {

  /** Executing tasks are few, so looking at all of them is cheap. */
  private static final TableSql ENDLESS_LEASES =
      new TableSql(
          """
          UPDATE %s
          SET lease_end = now_ms
          WHERE status = 2
            AND lease_end > now_ms + :longest
          ORDER BY id
          LIMIT :limit
          """
              .replace("now_ms", NOW_MS));

  private final JdbcClient jdbc;

  AuditorStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Ends leases that last longer than any hold could have granted; the sweep does the rest. */
  int endEndlessLeases(TaskTable table, Duration longest, int limit) {
    return jdbc.sql(ENDLESS_LEASES.of(table))
        .param("longest", longest.toMillis())
        .param("limit", limit)
        .update();
  }
}
