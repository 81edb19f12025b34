package io.asyncflow.flowsvr.task;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.NOW_MS;
import static java.util.stream.Collectors.joining;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The rows of the task tables: created, read, and changed by guarded transitions.
 *
 * <p>Every method runs in the caller's transaction, if there is one, and is one statement unless it
 * says otherwise.
 */
@Component
public class TaskStore {

  /** All columns, listed once. {@code db_now} is the clock that the row was read by. */
  public static final String COLUMNS =
      """
      id, user_id, task_stage, status, priority, order_time, crt_retry_num, max_retry_num,
      max_retry_interval, lease_epoch, reported_epoch, report_id, delivery_count, worker_id,
      trace_id, hold_time, beat_time, lease_end, progress, create_time, modify_time,
      task_context, result, schedule_log, job_id, job_index, """
          + NOW_MS
          + " AS db_now";

  /** Six failures with messages as long as they may be, if these are mostly ASCII. */
  private static final int LONG_LOG_BYTES = 8_192;

  /**
   * The same columns in the same places, but {@code null} for long logs: of rows that a caller has
   * a thousand of these would be 64 MB.
   */
  public static final String COLUMNS_BUT_LONG_LOGS =
      COLUMNS.replace(
          "schedule_log",
          "IF(OCTET_LENGTH(schedule_log) > " + LONG_LOG_BYTES + ", NULL, schedule_log)");

  private static final int INSERTS_A_STATEMENT = 150;

  /** Of texts; with as many rows it stays below any max_allowed_packet, whatever is escaped. */
  private static final int CHARACTERS_A_STATEMENT = 1_000_000;

  // LOCK IN SHARE MODE: a plain INSERT ... SELECT reads the guard without a lock where the
  // isolation is READ COMMITTED. STRAIGHT_JOIN: the guard is looked at, and locked, first.
  private static final TableSql INSERT =
      new TableSql(
          """
          INSERT INTO %s
            (id, user_id, task_stage, status, priority, order_time, max_retry_num,
             max_retry_interval, create_time, modify_time, task_context, schedule_log, job_id,
             job_index)
          SELECT v.id, v.user_id, v.task_stage, 1, v.priority, COALESCE(v.run_at, now_ms + v.due_in),
            v.max_retry_num, v.max_retry_interval, now_ms, now_ms, v.task_context, v.schedule_log,
            v.job_id, v.job_index
          FROM t_task_table g
          STRAIGHT_JOIN (
          SELECT ? AS id, ? AS user_id, ? AS task_stage, ? AS priority, ? AS run_at, ? AS due_in,
            ? AS max_retry_num, ? AS max_retry_interval, ? AS task_context, ? AS schedule_log,
            ? AS job_id, ? AS job_index
          """);
  private static final String MORE_INSERTS =
      "UNION ALL SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\n";
  private static final String UNLESS_DRAINED =
      """
      ) v
      WHERE g.task_type = ?
        AND g.table_number = ?
        AND g.drain_time IS NULL
      LOCK IN SHARE MODE
      """;

  private static final TableSql SELECT_BY_ID =
      new TableSql("SELECT " + COLUMNS + "\nFROM %s\nWHERE id = :id");

  // The primary key is forced wherever rows are named by their ids: in a small table, or one whose
  // statistics are old, an engine may prefer to walk idx_claim, and then it locks what it passes.
  private static final String BY_IDS = "\nFROM %s FORCE INDEX (PRIMARY)\nWHERE id IN (:ids)";
  private static final String LOCKED = "\nORDER BY id\nFOR UPDATE";

  private static final TableSql SELECT_BY_IDS = new TableSql("SELECT " + COLUMNS + BY_IDS);
  private static final TableSql BRIEF_BY_IDS =
      new TableSql("SELECT " + COLUMNS_BUT_LONG_LOGS + BY_IDS);
  private static final TableSql LOCK_BY_IDS = new TableSql("SELECT " + COLUMNS + BY_IDS + LOCKED);
  private static final TableSql LOCK_BRIEF_BY_IDS =
      new TableSql("SELECT " + COLUMNS_BUT_LONG_LOGS + BY_IDS + LOCKED);
  private static final TableSql LOCK_BRIEF_AT_ONCE =
      new TableSql("SELECT " + COLUMNS_BUT_LONG_LOGS + BY_IDS + LOCKED + " NOWAIT");

  /** A column of what a transition is written from. */
  private record Column(String name, Function<TaskTransition, Object> value) {
    Object of(TaskTransition to) {
      return value.apply(to);
    }
  }

  /** Transitions in one statement; with the longest logs it stays below any max_allowed_packet. */
  public static final int TRANSITIONS_A_STATEMENT = 100;

  /** What a transition is told of a row: which one is meant, and that it is as it was. */
  private static final List<Column> GUARDS =
      List.of(
          new Column("id", to -> to.before().id().number()),
          new Column("from_status", to -> to.before().status().code()),
          new Column("from_epoch", to -> to.before().leaseEpoch()),
          new Column("from_time", to -> to.before().modifyTime()));

  private static final List<Column> ALWAYS_WRITTEN =
      List.of(
          new Column("status", to -> to.after().status().code()),
          new Column("reported_epoch", to -> to.after().reportedEpoch()),
          new Column("report_id", to -> to.after().reportId()),
          new Column("schedule_log", to -> to.after().scheduleLog()));

  /** {@code null} for what stays as it is; a statement has those that any of its rows changes. */
  private static final List<Column> WRITTEN_IF_CHANGED =
      List.of(
          new Column("task_stage", to -> unlessSame(to.after().stage(), to.before().stage())),
          new Column("priority", to -> unlessSame(to.after().priority(), to.before().priority())),
          new Column(
              "order_time", to -> unlessSame(to.after().orderTime(), to.before().orderTime())),
          new Column(
              "crt_retry_num",
              to -> unlessSame(to.after().crtRetryNum(), to.before().crtRetryNum())),
          new Column(
              "delivery_count",
              to -> unlessSame(to.after().deliveryCount(), to.before().deliveryCount())),
          new Column("task_context", to -> unlessSame(to.after().context(), to.before().context())),
          new Column("result", to -> unlessSame(to.after().result(), to.before().result())));

  private static final TableSql FORCE =
      new TableSql(
          """
          UPDATE %s
          SET status = :status,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

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
          """);

  private static final TableSql LEAVE_JOB =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET job_id = NULL,
              job_index = NULL
          WHERE id IN (:ids)
          """);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;
  private final JobLedger jobs;

  TaskStore(JdbcClient jdbc, JdbcTemplate batch, JobLedger jobs) {
    this.jdbc = jdbc;
    this.batch = batch;
    this.jobs = jobs;
  }

  /** Whether {@link #insertUnlessDrained} needs no transaction for these. */
  public static boolean fitOneStatement(Collection<TaskDraft> tasks) {
    return tasks.size() <= INSERTS_A_STATEMENT
        && tasks.stream().mapToInt(TaskStore::characters).sum() <= CHARACTERS_A_STATEMENT;
  }

  private static int characters(TaskDraft task) {
    return orEmpty(task.context()).length() + orEmpty(task.scheduleLog()).length();
  }

  /**
   * Creates waiting tasks, unless begin has moved past the table. Until the transaction ends, or
   * the statement where there is none, it does not: the table's row is locked as by {@link
   * io.asyncflow.flowsvr.tasktable.NewTaskTables#enter}.
   *
   * @param tasksByNumber in the order of their numbers; if they do not {@link #fitOneStatement},
   *     only within a transaction
   * @param places what those of them that belong to jobs are there, by number
   * @return false if begin has moved past the table; nothing is created then
   */
  public boolean insertUnlessDrained(
      TaskTable table, SortedMap<Long, TaskDraft> tasksByNumber, Map<Long, JobPlace> places) {
    List<Map.Entry<Long, TaskDraft>> some = new ArrayList<>();
    int characters = 0;
    for (Map.Entry<Long, TaskDraft> next : tasksByNumber.entrySet()) {
      int more = characters(next.getValue());
      boolean isFull =
          some.size() == INSERTS_A_STATEMENT || characters + more > CHARACTERS_A_STATEMENT;
      if (isFull && !some.isEmpty()) {
        if (!insertInOneStatement(table, some, places)) {
          return false;
        }
        some.clear();
        characters = 0;
      }
      some.add(next);
      characters += more;
    }
    return insertInOneStatement(table, some, places);
  }

  private boolean insertInOneStatement(
      TaskTable table, List<Map.Entry<Long, TaskDraft>> tasks, Map<Long, JobPlace> places) {
    List<Object> values = new ArrayList<>(tasks.size() * 12 + 2);
    for (Map.Entry<Long, TaskDraft> entry : tasks) {
      TaskDraft task = entry.getValue();
      JobPlace place = places.get(entry.getKey());
      int priority = orZero(task.priority());
      values.add(entry.getKey());
      values.add(task.userId());
      values.add(task.stage());
      values.add(priority);
      values.add(task.runAt());
      values.add(task.delayMs() != null ? task.delayMs() : -priority * 1000L);
      values.add(task.maxRetryNum());
      values.add(task.maxRetryInterval());
      values.add(orEmpty(task.context()));
      values.add(orEmpty(task.scheduleLog()));
      values.add(place == null ? null : place.jobId());
      values.add(place == null ? null : place.index());
    }
    values.add(table.type().name());
    values.add(table.number());
    String sql = INSERT.of(table) + MORE_INSERTS.repeat(tasks.size() - 1) + UNLESS_DRAINED;
    return batch.update(sql, new StatementValues(values)) > 0;
  }

  /** The row of this id; the caller has made sure that its table exists. */
  public Optional<TaskRow> find(TaskId id) {
    return jdbc.sql(SELECT_BY_ID.of(id.table()))
        .param("id", id.number())
        .query(rowsOf(id.table()))
        .optional();
  }

  /** The rows of these numbers that exist, in no order. */
  public List<TaskRow> find(TaskTable table, Collection<Long> numbers) {
    return rows(SELECT_BY_IDS, table, numbers);
  }

  /** The same with {@code null} for {@linkplain #COLUMNS_BUT_LONG_LOGS long logs}. */
  public List<TaskRow> findBriefly(TaskTable table, Collection<Long> numbers) {
    return rows(BRIEF_BY_IDS, table, numbers);
  }

  /** Locks rows in the order of their ids and returns those that exist, in that order. */
  public List<TaskRow> lock(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BY_IDS, table, numbers);
  }

  /** The same with {@code null} for {@linkplain #COLUMNS_BUT_LONG_LOGS long logs}. */
  public List<TaskRow> lockBriefly(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BRIEF_BY_IDS, table, numbers);
  }

  /**
   * The same, if it can be done at once.
   *
   * @throws org.springframework.dao.DataAccessException if any of the rows is locked by others
   */
  public List<TaskRow> lockBrieflyAtOnce(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BRIEF_AT_ONCE, table, numbers);
  }

  private List<TaskRow> rows(TableSql select, TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(select.of(table)).param("ids", numbers).query(rowsOf(table)).list();
  }

  /**
   * Writes the ends of holds, each if its row is still as the transition saw it: by its status,
   * epoch and time of change, and in that this epoch has not reported.
   *
   * @param transitions in the order of the rows' ids, at most {@value #TRANSITIONS_A_STATEMENT};
   *     none of a task of a job, which has to count what is written
   * @return how many were written; nobody can say which
   */
  public int applyIfUnchanged(TaskTable table, List<TaskTransition> transitions) {
    if (transitions.stream().anyMatch(to -> to.before().place() != null)) {
      throw new IllegalArgumentException("tasks of jobs are written under a lock");
    }
    return applyInOneStatement(table, transitions);
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
    record(transitions);
  }

  private void record(List<TaskTransition> written) {
    jobs.record(written.stream().map(JobLedger.Change::of).toList());
  }

  private int applyInOneStatement(TaskTable table, List<TaskTransition> transitions) {
    List<Column> changed =
        WRITTEN_IF_CHANGED.stream()
            .filter(column -> transitions.stream().anyMatch(to -> column.of(to) != null))
            .toList();
    List<Column> columns = new ArrayList<>(GUARDS);
    columns.addAll(ALWAYS_WRITTEN);
    columns.addAll(changed);
    List<Object> values = new ArrayList<>(transitions.size() * columns.size());
    transitions.forEach(to -> columns.forEach(column -> values.add(column.of(to))));
    // STRAIGHT_JOIN: from the values to the rows, in the order given, never the other way round.
    String sql =
        """
        UPDATE (
        SELECT %s
        %s) v
        STRAIGHT_JOIN %s t FORCE INDEX (PRIMARY) ON t.id = v.id
        SET %s%s
            t.modify_time = %s
        WHERE t.status = v.from_status
          AND t.lease_epoch = v.from_epoch
          AND t.reported_epoch < v.from_epoch
          AND t.modify_time = v.from_time
        """
            .formatted(
                each(columns, ", ", "? AS %1$s"),
                ("UNION ALL SELECT ?" + ", ?".repeat(columns.size() - 1) + "\n")
                    .repeat(transitions.size() - 1),
                table.sqlName(),
                each(ALWAYS_WRITTEN, "", "t.%1$s = v.%1$s, "),
                each(changed, "", "t.%1$s = COALESCE(v.%1$s, t.%1$s), "),
                NOW_MS);
    return batch.update(sql, new StatementValues(values));
  }

  private static String each(List<Column> columns, String between, String text) {
    return columns.stream().map(column -> text.formatted(column.name())).collect(joining(between));
  }

  /** Texts may be large, and are not sent to the database as it knows them. */
  private static <T> T unlessSame(T value, T standing) {
    return value == null || value.equals(standing) ? null : value;
  }

  /**
   * Sets a final status by an operator's act. Epoch and worker stay, so that the holder of a task
   * that was cancelled can be told.
   */
  public void force(TaskRow row, TaskStatus status) {
    force(List.of(row), status);
  }

  /**
   * The same to many tasks.
   *
   * @param rows that the caller has locked, in the order of their ids
   */
  public void force(List<TaskRow> rows, TaskStatus status) {
    rows.forEach(row -> forceOne(row, status));
    jobs.record(rows.stream().map(row -> JobLedger.Change.of(row, status)).toList());
  }

  private void forceOne(TaskRow row, TaskStatus status) {
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
  public void revive(TaskRow row) {
    revive(List.of(row));
  }

  /**
   * The same to many tasks.
   *
   * @param rows that the caller has locked, in the order of their ids
   */
  public void revive(List<TaskRow> rows) {
    rows.forEach(this::reviveOne);
    jobs.record(rows.stream().map(row -> JobLedger.Change.of(row, TaskStatus.WAITING)).toList());
  }

  private void reviveOne(TaskRow row) {
    jdbc.sql(REVIVE.of(row.id().table()))
        .param("orderTime", row.now() - row.priority() * 1000L)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
  }

  /** Makes tasks that were replaced in their job be none of it any more. */
  public void leaveJob(TaskTable table, Collection<Long> numbers) {
    jdbc.sql(LEAVE_JOB.of(table)).param("ids", numbers).update();
  }

  /** Reads rows of {@code table} that were selected with {@link #COLUMNS}. */
  public static RowMapper<TaskRow> rowsOf(TaskTable table) {
    return (rs, rowNumber) -> read(table, rs);
  }

  /** By the places of {@link #COLUMNS}: to look up names would cost more than to read values. */
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
        rs.getInt(10),
        rs.getInt(11),
        rs.getString(12),
        rs.getInt(13),
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
        rs.getLong(27));
  }

  private static JobPlace place(ResultSet rs) throws SQLException {
    long jobId = rs.getLong(25);
    return rs.wasNull() ? null : new JobPlace(jobId, rs.getInt(26));
  }

  private static Integer nullableInt(ResultSet rs, int column) throws SQLException {
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
