package io.asyncflow.flowsvr.lease;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.retry.RetryPolicy;
import io.asyncflow.flowsvr.task.JobLedger;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements that find leases that ran out, and serve clients without one. */
@Component
public class LeaseStore {

  /** Executing tasks are few: as many as workers run. Waiting and final ones are never read. */
  private static final TableSql EXPIRED =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 2
            AND lease_end <= now_ms
          LIMIT :limit
          """
              .replace("now_ms", NOW_MS));

  private static final TableSql COUNT_LEASES =
      new TableSql(
          """
          SELECT COUNT(*) AS leases, COALESCE(SUM(lease_end <= now_ms), 0) AS expired
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 2
          """
              .replace("now_ms", NOW_MS));

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
              """
                  .replace("now_ms", NOW_MS));

  private static final TableSql UPDATE =
      new TableSql(
          """
          UPDATE %s
          SET status = :status,
              user_id = COALESCE(:user, user_id),
              task_stage = COALESCE(:stage, task_stage),
              task_context = COALESCE(:context, task_context),
              schedule_log = COALESCE(:log, schedule_log),
              priority = COALESCE(:priority, priority),
              order_time = :orderTime,
              crt_retry_num = COALESCE(:crtRetryNum, crt_retry_num),
              max_retry_num = COALESCE(:maxRetryNum, max_retry_num),
              max_retry_interval = COALESCE(:maxRetryInterval, max_retry_interval),
              lease_end = IF(:renews, now_ms + :lease, lease_end),
              reported_epoch = IF(:endsHold, lease_epoch, reported_epoch),
              report_id = IF(:endsHold, NULL, report_id),
              delivery_count = IF(:endsHold, 0, delivery_count),
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """
              .replace("now_ms", NOW_MS));

  private final JdbcClient jdbc;
  private final JobLedger jobs;

  LeaseStore(JdbcClient jdbc, JobLedger jobs) {
    this.jdbc = jdbc;
    this.jobs = jobs;
  }

  /**
   * The leases of a table.
   *
   * @param expired how many of them have run out
   */
  public record Leases(TaskTable table, long all, long expired) {}

  /** Counts the leases of a few tables, by one statement. */
  public List<Leases> count(List<TaskTable> tables) {
    return jdbc.sql(COUNT_LEASES.ofAll(tables))
        .query((rs, row) -> new Leases(tables.get(rs.getInt(1)), rs.getLong(2), rs.getLong(3)))
        .list();
  }

  /** Some tasks whose lease has run out; not locked, so it may be over with them by now. */
  public List<TaskId> expired(TaskTable table, int limit) {
    return jdbc.sql(EXPIRED.of(table)).param("limit", limit).query(Long.class).list().stream()
        .map(number -> new TaskId(number, table))
        .toList();
  }

  /** Locks those of the tasks whose lease has still run out and that nobody else has locked. */
  public List<TaskRow> lockExpired(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(LOCK_EXPIRED.of(table))
        .param("ids", numbers)
        .query(TaskStore.rowsOf(table))
        .list();
  }

  /** Writes a partial update of a row that the caller has locked. */
  void update(
      TaskRow row, TaskUpdate update, TaskStatus status, long orderTime, TaskTypeConfig type) {
    boolean held = row.status() == TaskStatus.EXECUTING;
    RetryPolicy policy = row.retryPolicy(type);
    jdbc.sql(UPDATE.of(row.id().table()))
        .param("status", status.code())
        .param("user", update.userId())
        .param("stage", update.taskStage())
        .param("context", update.taskContext())
        .param("log", update.scheduleLog())
        .param("priority", update.priority())
        .param("orderTime", orderTime)
        .param("crtRetryNum", update.crtRetryNum())
        .param("maxRetryNum", update.ownMaxRetryNum(policy))
        .param("maxRetryInterval", update.ownMaxRetryInterval(policy))
        .param("renews", held && update.status() == TaskStatus.EXECUTING)
        .param("lease", type.maxProcessingTime().toMillis())
        .param("endsHold", held && status != TaskStatus.EXECUTING)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
    jobs.record(List.of(JobLedger.Change.of(row, status)));
  }
}
