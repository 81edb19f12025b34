package io.asyncflow.flowsvr.lease;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements that keep leases, find the ones that ran out, and serve clients without one. */
@Component
public class LeaseStore {

  private static final TableSql RENEW_HEAD = new TableSql("UPDATE %s t\nJOIN (\n");
  private static final String RENEW_VALUES = "SELECT ? AS id, ? AS epoch, ? AS progress\n";
  private static final String MORE_RENEW_VALUES = "UNION ALL SELECT ?, ?, ?\n";
  private static final String RENEW_TAIL =
      """
      ) v ON t.id = v.id
      SET t.lease_end = LEAST(now_ms + ?, t.hold_time + ?),
          t.beat_time = now_ms,
          t.progress = COALESCE(v.progress, t.progress)
      WHERE t.status = 2
        AND t.lease_epoch = v.epoch
        AND t.worker_id = ?
        AND t.hold_time + ? > now_ms
      """
          .replace("now_ms", NOW_MS);

  private static final TableSql BY_IDS =
      new TableSql("SELECT " + TaskStore.COLUMNS + "\nFROM %s\nWHERE id IN (:ids)");

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

  private static final TableSql LOCK_EXPIRED =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS
              + """

              FROM %s
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
              hold_time = IF(:renews, now_ms, hold_time),
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
  private final JdbcTemplate batch;

  LeaseStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /** Renews the leases that this worker still has, never past the hard end of the attempt. */
  void renew(TaskTable table, List<NumberedBeat> beats, String workerId, TaskTypeConfig type) {
    StringBuilder sql = new StringBuilder(RENEW_HEAD.of(table)).append(RENEW_VALUES);
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < beats.size(); i++) {
      if (i > 0) {
        sql.append(MORE_RENEW_VALUES);
      }
      values.add(beats.get(i).number());
      values.add(beats.get(i).task().leaseEpoch());
      values.add(beats.get(i).task().progress());
    }
    sql.append(RENEW_TAIL);
    values.add(type.lease().toMillis());
    values.add(type.maxProcessingTime().toMillis());
    values.add(workerId);
    values.add(type.maxProcessingTime().toMillis());
    batch.update(sql.toString(), values.toArray());
  }

  /** A held task in a heartbeat, with the number from its id. */
  record NumberedBeat(long number, HeldTask task) {}

  List<TaskRow> find(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(BY_IDS.of(table)).param("ids", numbers).query(TaskStore.rowsOf(table)).list();
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
    jdbc.sql(UPDATE.of(row.id().table()))
        .param("status", status.code())
        .param("user", update.userId())
        .param("stage", update.taskStage())
        .param("context", update.taskContext())
        .param("log", update.scheduleLog())
        .param("priority", update.priority())
        .param("orderTime", orderTime)
        .param("crtRetryNum", update.crtRetryNum())
        .param("maxRetryNum", update.maxRetryNum())
        .param("maxRetryInterval", update.maxRetryInterval())
        .param("renews", held && update.status() == TaskStatus.EXECUTING)
        .param("lease", type.maxProcessingTime().toMillis())
        .param("endsHold", held && status != TaskStatus.EXECUTING)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
  }
}
