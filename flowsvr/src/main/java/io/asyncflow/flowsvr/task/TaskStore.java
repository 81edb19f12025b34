package io.asyncflow.flowsvr.task;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The rows of the task tables: created, read, and changed by guarded transitions.
 *
 * <p>Every method is one statement and runs in the caller's transaction, if there is one.
 */
@Component
public class TaskStore {

  /** All columns, listed once. {@code db_now} is the clock that the row was read by. */
  public static final String COLUMNS =
      """
      id, user_id, task_stage, status, priority, order_time, crt_retry_num, max_retry_num,
      max_retry_interval, lease_epoch, reported_epoch, report_id, delivery_count, worker_id,
      trace_id, hold_time, beat_time, lease_end, progress, create_time, modify_time,
      task_context, result, schedule_log, """
          + NOW_MS
          + " AS db_now";

  private static final TableSql INSERT =
      new TableSql(
          """
          INSERT INTO %s
            (id, user_id, task_stage, status, priority, order_time, max_retry_num,
             max_retry_interval, create_time, modify_time, task_context, schedule_log)
          VALUES (?, ?, ?, 1, ?, COALESCE(?, now_ms + ?), ?, ?, now_ms, now_ms, ?, ?)
          """
              .replace("now_ms", NOW_MS));

  private static final TableSql SELECT_BY_ID =
      new TableSql("SELECT " + COLUMNS + "\nFROM %s\nWHERE id = :id");

  // The primary key is forced wherever rows are named by their ids: in a small table, or one whose
  // statistics are old, an engine may prefer to walk idx_claim, and then it locks what it passes.
  private static final TableSql LOCK_BY_IDS =
      new TableSql(
          "SELECT "
              + COLUMNS
              + """

              FROM %s FORCE INDEX (PRIMARY)
              WHERE id IN (:ids)
              ORDER BY id
              FOR UPDATE
              """);

  /** Transitions in one statement; with the longest logs it stays below any max_allowed_packet. */
  private static final int TRANSITIONS_A_STATEMENT = 100;

  private static final String TRANSITION_VALUES =
      """
      UPDATE (
      SELECT ? AS id, ? AS from_status, ? AS epoch, ? AS from_time, ? AS status, ? AS task_stage,
        ? AS priority, ? AS order_time, ? AS crt_retry_num, ? AS delivery_count,
        ? AS reported_epoch, ? AS report_id, ? AS task_context, ? AS result, ? AS schedule_log
      """;
  private static final String MORE_TRANSITION_VALUES =
      "UNION ALL SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\n";
  // STRAIGHT_JOIN: from the values to the rows, in the order given, never the other way round.
  // NULL stands for what stays as it is.
  private static final TableSql TRANSITION =
      new TableSql(
          """
          ) v
          STRAIGHT_JOIN %s t FORCE INDEX (PRIMARY) ON t.id = v.id
          SET t.status = v.status,
              t.task_stage = COALESCE(v.task_stage, t.task_stage),
              t.priority = COALESCE(v.priority, t.priority),
              t.order_time = COALESCE(v.order_time, t.order_time),
              t.crt_retry_num = COALESCE(v.crt_retry_num, t.crt_retry_num),
              t.delivery_count = v.delivery_count,
              t.reported_epoch = v.reported_epoch,
              t.report_id = v.report_id,
              t.task_context = COALESCE(v.task_context, t.task_context),
              t.result = COALESCE(v.result, t.result),
              t.schedule_log = v.schedule_log,
              t.modify_time = now_ms
          WHERE t.status = v.from_status
            AND t.lease_epoch = v.epoch
            AND t.reported_epoch < v.epoch
            AND t.modify_time = v.from_time
          """
              .replace("now_ms", NOW_MS));

  private static final TableSql FORCE =
      new TableSql(
          """
          UPDATE %s
          SET status = :status,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """
              .replace("now_ms", NOW_MS));

  // report_id before reported_epoch, which it looks at: assignments go from left to right.
  private static final TableSql REVIVE =
      new TableSql(
          """
          UPDATE %s
          SET status = 1,
              order_time = :orderTime,
              crt_retry_num = 0,
              delivery_count = 0,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              result = NULL,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """
              .replace("now_ms", NOW_MS));

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  TaskStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /** Creates waiting tasks; the driver sends them as one statement. */
  void insert(TaskTable table, Map<Long, NewTask> tasksByNumber) {
    List<Object[]> rows = new ArrayList<>(tasksByNumber.size());
    tasksByNumber.forEach(
        (number, task) -> {
          int priority = orZero(task.priority());
          long dueIn = task.delayMs() != null ? task.delayMs() : -priority * 1000L;
          rows.add(
              new Object[] {
                number,
                task.userId(),
                task.taskStage(),
                priority,
                task.runAt(),
                dueIn,
                task.maxRetryNum(),
                task.maxRetryInterval(),
                orEmpty(task.taskContext()),
                orEmpty(task.scheduleLog())
              });
        });
    batch.batchUpdate(INSERT.of(table), rows);
  }

  /** The row of this id; the caller has made sure that its table exists. */
  public Optional<TaskRow> find(TaskId id) {
    return jdbc.sql(SELECT_BY_ID.of(id.table()))
        .param("id", id.number())
        .query(rowsOf(id.table()))
        .optional();
  }

  /** Locks rows in the order of their ids and returns those that exist, in that order. */
  public List<TaskRow> lock(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(LOCK_BY_IDS.of(table)).param("ids", numbers).query(rowsOf(table)).list();
  }

  /**
   * The same, if it can be done at once.
   *
   * @throws org.springframework.dao.DataAccessException if any of the rows is locked by others
   */
  public List<TaskRow> lockAtOnce(TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(LOCK_BY_IDS.of(table) + "NOWAIT")
        .param("ids", numbers)
        .query(rowsOf(table))
        .list();
  }

  /**
   * Writes the end of a hold, if the row is still as the transition saw it: by its status, epoch
   * and time of change, and in that this epoch has not reported.
   *
   * @return whether it was; nothing is changed otherwise
   */
  public boolean applyIfUnchanged(TaskTransition transition) {
    return applyInOneStatement(transition.row().id().table(), List.of(transition)) == 1;
  }

  /**
   * Writes the ends of holds of rows that the caller has locked, each with the guard of {@link
   * #applyIfUnchanged}.
   *
   * @param transitions in the order of the rows' ids
   * @throws IncorrectUpdateSemanticsDataAccessException if any was lost although its row was locked
   *     (a bug: nothing must be committed)
   */
  public void apply(TaskTable table, List<TaskTransition> transitions) {
    for (int from = 0; from < transitions.size(); from += TRANSITIONS_A_STATEMENT) {
      int to = Math.min(from + TRANSITIONS_A_STATEMENT, transitions.size());
      List<TaskTransition> some = transitions.subList(from, to);
      int changed = applyInOneStatement(table, some);
      if (changed != some.size()) {
        throw new IncorrectUpdateSemanticsDataAccessException(
            changed + " of " + some.size() + " locked tasks changed in " + table);
      }
    }
  }

  private int applyInOneStatement(TaskTable table, List<TaskTransition> transitions) {
    StringBuilder sql = new StringBuilder(TRANSITION_VALUES);
    List<Object> values = new ArrayList<>(transitions.size() * 15);
    for (int i = 0; i < transitions.size(); i++) {
      if (i > 0) {
        sql.append(MORE_TRANSITION_VALUES);
      }
      TaskTransition to = transitions.get(i);
      TaskRow from = to.row;
      values.add(from.id().number());
      values.add(from.status().code());
      values.add(from.leaseEpoch());
      values.add(from.modifyTime());
      values.add(to.status.code());
      values.add(unlessSame(to.stage, from.stage()));
      values.add(unlessSame(to.priority, from.priority()));
      values.add(unlessSame(to.orderTime, from.orderTime()));
      values.add(unlessSame(to.crtRetryNum, from.crtRetryNum()));
      values.add(to.deliveryCount);
      values.add(to.reportedEpoch);
      values.add(to.reportId);
      values.add(unlessSame(to.context, from.context()));
      values.add(unlessSame(to.result, from.result()));
      values.add(to.scheduleLog);
    }
    sql.append(TRANSITION.of(table));
    return batch.update(sql.toString(), values.toArray());
  }

  /** Contexts and results may be large: they are not sent to the database as it knows them. */
  private static <T> T unlessSame(T value, T standing) {
    return value == null || value.equals(standing) ? null : value;
  }

  /**
   * Sets a final status by an operator's act. Epoch and worker stay, so that the holder of a task
   * that was cancelled can be told.
   */
  public void force(TaskRow row, TaskStatus status) {
    jdbc.sql(FORCE.of(row.id().table()))
        .param("status", status.code())
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
  }

  /**
   * Lets a task wait again with a fresh budget. Whoever held it before has nothing more to say, but
   * may be told once more that what he said was done.
   */
  public void revive(TaskRow row, long orderTime) {
    jdbc.sql(REVIVE.of(row.id().table()))
        .param("orderTime", orderTime)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
  }

  /** Reads rows of {@code table} that were selected with {@link #COLUMNS}. */
  public static RowMapper<TaskRow> rowsOf(TaskTable table) {
    return (rs, rowNumber) -> read(table, rs);
  }

  private static TaskRow read(TaskTable table, ResultSet rs) throws SQLException {
    return new TaskRow(
        new TaskId(rs.getLong("id"), table),
        rs.getString("user_id"),
        rs.getString("task_stage"),
        TaskStatus.ofCode(rs.getInt("status")),
        rs.getInt("priority"),
        rs.getLong("order_time"),
        rs.getInt("crt_retry_num"),
        nullableInt(rs, "max_retry_num"),
        nullableInt(rs, "max_retry_interval"),
        rs.getInt("lease_epoch"),
        rs.getInt("reported_epoch"),
        rs.getString("report_id"),
        rs.getInt("delivery_count"),
        rs.getString("worker_id"),
        rs.getString("trace_id"),
        rs.getLong("hold_time"),
        rs.getLong("beat_time"),
        rs.getLong("lease_end"),
        nullableInt(rs, "progress"),
        rs.getLong("create_time"),
        rs.getLong("modify_time"),
        rs.getString("task_context"),
        rs.getString("result"),
        rs.getString("schedule_log"),
        rs.getLong("db_now"));
  }

  private static Integer nullableInt(ResultSet rs, String column) throws SQLException {
    int value = rs.getInt(column);
    return rs.wasNull() ? null : value;
  }

  private static int orZero(Integer value) {
    return value == null ? 0 : value;
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }
}
