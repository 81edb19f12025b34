package io.asyncflow.flowsvr.task.row;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.NOW_MS;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads and locks the rows of the task tables.
 *
 * <p>Every method runs in the caller's transaction, if there is one, and is one statement unless
 * stated otherwise. Thread-safe.
 */
@Component
public class TaskStore {

  /** All columns. {@code db_now} is the database's epoch ms at the time of the read. */
  public static final String COLUMNS =
      """
      id, user_id, task_stage, status, priority, order_time, crt_retry_num, max_retry_num,
      max_retry_interval, lease_epoch, reported_epoch, report_id, delivery_count, worker_id,
      trace_id, hold_time, beat_time, lease_end, progress, create_time, modify_time,
      task_context, result, schedule_log, job_id, job_index, schedule_id, fire_time, lane,
      unexpected_num, max_unexpected_retries, job_copies, trace_parent, end_kind,\
      """
          + NOW_MS
          + " AS db_now";

  /** The same columns in the same order, without what the task was given and leaves behind. */
  public static final String COLUMNS_BUT_CONTENTS =
      COLUMNS.replace("task_context, result,", "'' AS task_context, NULL AS result,");

  private static final TableSql SELECT_BY_ID =
      new TableSql("SELECT " + COLUMNS + "\nFROM %s\nWHERE id = :id");

  // The primary key is forced wherever rows are named by their ids: for a small table, or with old
  // statistics, the optimizer may prefer idx_claim, and then it locks the entries that it scans.
  private static final String BY_IDS = "\nFROM %s FORCE INDEX (PRIMARY)\nWHERE id IN (:ids)";
  private static final String LOCKED = "\nORDER BY id\nFOR UPDATE";

  private static final TableSql SELECT_BY_IDS = new TableSql("SELECT " + COLUMNS + BY_IDS);
  private static final TableSql STAGES =
      new TableSql("SELECT id, task_stage" + BY_IDS + "\n  AND status = :status");
  private static final TableSql USERS = new TableSql("SELECT id, user_id" + BY_IDS);
  private static final TableSql LOCK_BY_IDS = new TableSql("SELECT " + COLUMNS + BY_IDS + LOCKED);
  private static final TableSql LOCK_AT_ONCE =
      new TableSql("SELECT " + COLUMNS + BY_IDS + LOCKED + " NOWAIT");

  private static final TableSql RENEW =
      new TableSql(
          """
          UPDATE %s
          SET lease_end = modify_time + :lease,
              beat_time = modify_time
          WHERE id = :id
          """);

  private final JdbcClient jdbc;

  TaskStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The row of this id. Its table must exist. */
  public Optional<TaskRow> find(TaskId id) {
    return jdbc.sql(SELECT_BY_ID.of(id.table()))
        .param("id", id.number())
        .query(rowsOf(id.table()))
        .optional();
  }

  /** The existing rows with these numbers, in no order. */
  public List<TaskRow> find(TaskTable table, Collection<Long> numbers) {
    return rows(SELECT_BY_IDS, table, numbers);
  }

  /** Locks the existing rows with these numbers and returns them, in the order of their ids. */
  public List<TaskRow> lock(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BY_IDS, table, numbers);
  }

  /**
   * As {@link #lock}, without waiting for locks.
   *
   * @throws org.springframework.dao.DataAccessException if another transaction has locked any of
   *     the rows
   */
  public List<TaskRow> lockAtOnce(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_AT_ONCE, table, numbers);
  }

  /** Renews the lease of a task that the caller has locked, as a word of its holder. */
  public void renew(TaskId id, Duration lease) {
    jdbc.sql(RENEW.of(id.table()))
        .param("lease", lease.toMillis())
        .param("id", id.number())
        .update();
  }

  /** The stages, by number, of those rows with these numbers that have this status. */
  public Map<Long, String> stages(TaskTable table, Collection<Long> numbers, TaskStatus status) {
    Map<Long, String> stages = new HashMap<>();
    jdbc.sql(STAGES.of(table))
        .param("ids", numbers)
        .param("status", status.code())
        .query(
            rs -> {
              stages.put(rs.getLong("id"), rs.getString("task_stage"));
            });
    return stages;
  }

  /** Those of these numbers whose rows have one of the users. */
  public Set<Long> ofUsers(TaskTable table, Collection<Long> numbers, Predicate<String> users) {
    Set<Long> found = new HashSet<>();
    jdbc.sql(USERS.of(table))
        .param("ids", numbers)
        .query(
            rs -> {
              if (users.test(rs.getString("user_id"))) {
                found.add(rs.getLong("id"));
              }
            });
    return found;
  }

  private List<TaskRow> rows(TableSql select, TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(select.of(table)).param("ids", numbers).query(rowsOf(table)).list();
  }

  /** Reads rows of {@code table} that were selected with {@link #COLUMNS}. */
  public static RowMapper<TaskRow> rowsOf(TaskTable table) {
    return (rs, rowNumber) -> read(table, rs);
  }

  /**
   * Reads by the positions of {@link #COLUMNS}, because looking up names would cost more than
   * reading values.
   */
  private static TaskRow read(TaskTable table, ResultSet rs) throws SQLException {
    return new TaskRow(
        new TaskId(rs.getLong(1), table),
        rs.getString(2),
        rs.getString(3),
        TaskStatus.ofCode(rs.getInt(4)),
        rs.getInt(5),
        rs.getLong(6),
        rs.getInt(7),
        nullableInt(rs, 8),
        nullableInt(rs, 9),
        rs.getInt(30),
        nullableInt(rs, 31),
        rs.getInt(10),
        rs.getInt(11),
        rs.getString(12),
        rs.getInt(13),
        rs.getInt(34) == 1,
        rs.getString(14),
        rs.getString(15),
        rs.getLong(16),
        rs.getLong(17),
        rs.getLong(18),
        nullableInt(rs, 19),
        rs.getLong(20),
        rs.getLong(21),
        rs.getString(22),
        rs.getString(23),
        rs.getString(24),
        place(rs),
        fire(rs),
        rs.getString(29),
        rs.getString(33),
        rs.getLong(35));
  }

  private static JobPlace place(ResultSet rs) throws SQLException {
    long jobId = rs.getLong(25);
    return rs.wasNull() ? null : new JobPlace(jobId, rs.getInt(26), nullableInt(rs, 32));
  }

  private static FireId fire(ResultSet rs) throws SQLException {
    long scheduleId = rs.getLong(27);
    return rs.wasNull() ? null : new FireId(scheduleId, rs.getLong(28));
  }

  private static Integer nullableInt(ResultSet rs, int column) throws SQLException {
    int value = rs.getInt(column);
    return rs.wasNull() ? null : value;
  }
}
