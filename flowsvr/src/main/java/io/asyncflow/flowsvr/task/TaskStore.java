package io.asyncflow.flowsvr.task;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.NOW_MS;
import static java.util.stream.Collectors.joining;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.pulse.TaskPulse;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The rows of the task tables: creates them, reads them, and changes them by guarded transitions.
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
      unexpected_num, max_unexpected_retries, job_copies, trace_parent,\
      """
          + NOW_MS
          + " AS db_now";

  /** Room for six failures with messages of maximum length, if these are mostly ASCII. */
  private static final int LONG_LOG_BYTES = 8_192;

  /**
   * The same columns in the same order, but {@code null} for long logs, which for a thousand rows
   * would be 64 MB.
   */
  public static final String COLUMNS_BUT_LONG_LOGS =
      COLUMNS.replace(
          "schedule_log",
          "IF(OCTET_LENGTH(schedule_log) > " + LONG_LOG_BYTES + ", NULL, schedule_log)");

  /** The same columns in the same order, without what the task was given and leaves behind. */
  public static final String COLUMNS_BUT_CONTENTS =
      COLUMNS.replace("task_context, result,", "'' AS task_context, NULL AS result,");

  private static final int MAX_INSERTS_PER_STATEMENT = 150;

  /**
   * The most characters of texts in one INSERT; with all its rows it stays below any
   * max_allowed_packet, even if every character is escaped.
   */
  private static final int MAX_CHARACTERS_PER_STATEMENT = 1_000_000;

  // LOCK IN SHARE MODE: under READ COMMITTED a plain INSERT ... SELECT reads the guard row without
  // a lock. STRAIGHT_JOIN: the guard row is read and locked first.
  private static final String INSERT =
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
      """;
  private static final String MORE_INSERTS = "UNION ALL SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";

  /**
   * A task to be inserted.
   *
   * @param place {@code null} outside jobs
   * @param lane {@code null} for the open one
   */
  private record NewRow(TaskDraft task, JobPlace place, String lane) {}

  /**
   * A column that few tasks have a value for; a statement has it if any of its tasks does.
   *
   * @param value the value of a task; {@code null} for none
   * @param none what a task without a value gets
   */
  private record RareColumn(String name, Function<NewRow, Object> value, Object none) {

    Object valueOf(NewRow row) {
      Object given = value.apply(row);
      return given == null ? none : given;
    }
  }

  private static final List<RareColumn> RARE_COLUMNS =
      List.of(
          new RareColumn("max_unexpected_retries", row -> row.task().maxUnexpectedRetries(), null),
          new RareColumn(
              "schedule_id",
              row -> row.task().fire() == null ? null : row.task().fire().scheduleId(),
              null),
          new RareColumn(
              "fire_time",
              row -> row.task().fire() == null ? null : row.task().fire().fireTime(),
              null),
          new RareColumn(
              "job_copies", row -> row.place() == null ? null : row.place().copies(), null),
          new RareColumn("lane", NewRow::lane, Lane.OPEN),
          new RareColumn("trace_parent", row -> row.task().traceParent(), null));

  /** The statements by their rare columns. */
  private static final Map<List<RareColumn>, TableSql> INSERTS = new ConcurrentHashMap<>();

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

  // The primary key is forced wherever rows are named by their ids: for a small table, or with old
  // statistics, the optimizer may prefer idx_claim, and then it locks the entries that it scans.
  private static final String BY_IDS = "\nFROM %s FORCE INDEX (PRIMARY)\nWHERE id IN (:ids)";
  private static final String LOCKED = "\nORDER BY id\nFOR UPDATE";

  private static final TableSql SELECT_BY_IDS = new TableSql("SELECT " + COLUMNS + BY_IDS);
  private static final TableSql BRIEF_BY_IDS =
      new TableSql("SELECT " + COLUMNS_BUT_LONG_LOGS + BY_IDS);
  private static final TableSql STAGES =
      new TableSql("SELECT id, task_stage" + BY_IDS + "\n  AND status = :status");
  private static final TableSql LOCK_BY_IDS = new TableSql("SELECT " + COLUMNS + BY_IDS + LOCKED);
  private static final TableSql LOCK_BRIEF_BY_IDS =
      new TableSql("SELECT " + COLUMNS_BUT_LONG_LOGS + BY_IDS + LOCKED);
  private static final TableSql LOCK_BRIEF_AT_ONCE =
      new TableSql("SELECT " + COLUMNS_BUT_LONG_LOGS + BY_IDS + LOCKED + " NOWAIT");

  /**
   * A column of the values that transitions are written from.
   *
   * @param sent the expression of the sent value
   */
  private record Column(String name, String sent, Function<TaskTransition, Object> value) {

    Column(String name, Function<TaskTransition, Object> value) {
      this(name, "v." + name, value);
    }

    Object of(TaskTransition transition) {
      return value.apply(transition);
    }
  }

  /**
   * The most transitions in one statement; with the longest logs it stays below any
   * max_allowed_packet.
   */
  public static final int MAX_TRANSITIONS_PER_STATEMENT = 100;

  /** The columns that identify the row and guard against a change since it was read. */
  private static final List<Column> GUARDS =
      List.of(
          new Column("id", transition -> transition.before().id().number()),
          new Column("from_status", transition -> transition.before().status().code()),
          new Column("from_epoch", transition -> transition.before().leaseEpoch()),
          new Column("from_time", transition -> transition.before().modifyTime()));

  private static final List<Column> ALWAYS_WRITTEN =
      List.of(
          new Column("status", transition -> transition.after().status().code()),
          new Column("reported_epoch", transition -> transition.after().reportedEpoch()),
          new Column("report_id", transition -> transition.after().reportId()),
          new Column("schedule_log", transition -> transition.after().scheduleLog()));

  /**
   * The columns with {@code null} for an unchanged value; a statement has those that change in any
   * of its rows.
   */
  private static final List<Column> WRITTEN_IF_CHANGED =
      List.of(
          new Column(
              "task_stage",
              transition -> unlessSame(transition.after().stage(), transition.before().stage())),
          new Column(
              "priority",
              transition ->
                  unlessSame(transition.after().priority(), transition.before().priority())),
          new Column(
              "order_time",
              transition ->
                  unlessSame(transition.after().orderTime(), transition.before().orderTime())),
          new Column(
              "crt_retry_num",
              transition ->
                  unlessSame(transition.after().crtRetryNum(), transition.before().crtRetryNum())),
          new Column(
              "lane",
              "CONVERT(v.lane USING ascii)", // the sent values are utf8mb4, which MySQL does not
              // mix
              transition -> unlessSame(transition.after().lane(), transition.before().lane())),
          new Column(
              "unexpected_num",
              transition ->
                  unlessSame(
                      transition.after().unexpectedNum(), transition.before().unexpectedNum())),
          new Column(
              "delivery_count",
              transition ->
                  unlessSame(
                      transition.after().deliveryCount(), transition.before().deliveryCount())),
          new Column(
              "task_context",
              transition ->
                  unlessSame(transition.after().context(), transition.before().context())),
          new Column(
              "result",
              transition -> unlessSame(transition.after().result(), transition.before().result())));

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

  // report_id before reported_epoch, which it reads: assignments are evaluated from left to right.
  private static final TableSql REVIVE =
      new TableSql(
          """
          UPDATE %s
          SET status = 1,
              order_time = :orderTime,
              crt_retry_num = 0,
              unexpected_num = 0,
              delivery_count = 0,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              lane = :lane,
              result = NULL,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  private static final TableSql REDIRECT =
      new TableSql(
          """
          UPDATE %s
          SET status = :status,
              lane = :lane,
              order_time = :orderTime,
              reported_epoch = :reportedEpoch,
              report_id = :reportId,
              schedule_log = COALESCE(:log, schedule_log),
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  private static final TableSql RESCHEDULE =
      new TableSql(
          """
          UPDATE %s
          SET priority = :priority,
              order_time = :orderTime,
              modify_time = now_ms
          WHERE id = :id
            AND status = 1
            AND lease_epoch = :epoch
          """);

  // report_id before reported_epoch, as in REVIVE.
  private static final TableSql RENEW =
      new TableSql(
          """
          UPDATE %s
          SET status = 1,
              lane = :lane,
              user_id = :user,
              task_stage = :stage,
              priority = :priority,
              order_time = COALESCE(:runAt, now_ms + :dueIn),
              crt_retry_num = 0,
              max_retry_num = :maxRetryNum,
              max_retry_interval = :maxRetryInterval,
              unexpected_num = 0,
              max_unexpected_retries = :maxUnexpectedRetries,
              delivery_count = 0,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              progress = NULL,
              task_context = :context,
              result = NULL,
              schedule_log = COALESCE(:log, schedule_log),
              trace_parent = :traceParent,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  // A late report of a hold from before the pause is refused.
  private static final TableSql PAUSE =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = 32,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              modify_time = now_ms
          WHERE id IN (:ids)
            AND status = 1
          """);

  private static final TableSql RESUME =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = 1,
              modify_time = now_ms
          WHERE id IN (:ids)
            AND status = 32
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
  private final List<TaskLedger> ledgers;
  private final EventLog events;
  private final TaskPulse pulse;

  TaskStore(
      JdbcClient jdbc,
      JdbcTemplate batch,
      List<TaskLedger> ledgers,
      EventLog events,
      TaskPulse pulse) {
    this.jdbc = jdbc;
    this.batch = batch;
    this.ledgers = ledgers;
    this.events = events;
    this.pulse = pulse;
  }

  /** Whether {@link #insertUnlessDrained} inserts these tasks in one statement. */
  public static boolean fitOneStatement(Collection<TaskDraft> tasks) {
    return tasks.size() <= MAX_INSERTS_PER_STATEMENT
        && tasks.stream().mapToInt(TaskStore::characters).sum() <= MAX_CHARACTERS_PER_STATEMENT;
  }

  private static int characters(TaskDraft task) {
    return orEmpty(task.context()).length() + orEmpty(task.scheduleLog()).length();
  }

  /**
   * Creates waiting tasks, unless begin has moved past the table. Begin cannot move until the
   * transaction ends, or the statement if there is none: the table's row in {@code t_task_table} is
   * locked as by {@link io.asyncflow.flowsvr.tasktable.NewTaskTables#enter}.
   *
   * @param tasksByNumber the tasks in the order of their numbers; requires a transaction if they do
   *     not {@link #fitOneStatement}
   * @param places the roles in jobs, by number, of those tasks that belong to one
   * @param lanes the lanes, by number, of those tasks that not every worker may hold
   * @return false if begin has moved past the table; then nothing is created
   * @throws IllegalStateException if the type {@linkplain #tellsOfCreates tells of creates} and
   *     there is no transaction
   */
  public boolean insertUnlessDrained(
      TaskTable table,
      SortedMap<Long, TaskDraft> tasksByNumber,
      Map<Long, JobPlace> places,
      Map<Long, String> lanes) {
    List<Map.Entry<Long, TaskDraft>> group = new ArrayList<>();
    int characters = 0;
    for (Map.Entry<Long, TaskDraft> entry : tasksByNumber.entrySet()) {
      int added = characters(entry.getValue());
      boolean isFull =
          group.size() == MAX_INSERTS_PER_STATEMENT
              || characters + added > MAX_CHARACTERS_PER_STATEMENT;
      if (isFull && !group.isEmpty()) {
        if (!insertInOneStatement(table, group, places, lanes)) {
          return false;
        }
        group.clear();
        characters = 0;
      }
      group.add(entry);
      characters += added;
    }
    return insertInOneStatement(table, group, places, lanes);
  }

  private boolean insertInOneStatement(
      TaskTable table,
      List<Map.Entry<Long, TaskDraft>> tasks,
      Map<Long, JobPlace> places,
      Map<Long, String> lanes) {
    SortedMap<Long, NewRow> rows = new TreeMap<>();
    tasks.forEach(
        task ->
            rows.put(
                task.getKey(),
                new NewRow(task.getValue(), places.get(task.getKey()), lanes.get(task.getKey()))));
    List<RareColumn> rare =
        RARE_COLUMNS.stream()
            .filter(
                column -> rows.values().stream().anyMatch(row -> column.value().apply(row) != null))
            .toList();
    List<Object> values = new ArrayList<>(tasks.size() * (12 + rare.size()) + 2);
    for (Map.Entry<Long, NewRow> entry : rows.entrySet()) {
      TaskDraft task = entry.getValue().task();
      JobPlace place = entry.getValue().place();
      values.add(entry.getKey());
      values.add(task.userId());
      values.add(task.stage());
      values.add(orZero(task.priority()));
      values.add(task.runAt());
      values.add(dueIn(task));
      values.add(task.maxRetryNum());
      values.add(task.maxRetryInterval());
      values.add(orEmpty(task.context()));
      values.add(orEmpty(task.scheduleLog()));
      values.add(place == null ? null : place.jobId());
      values.add(place == null ? null : place.index());
      rare.forEach(column -> values.add(column.valueOf(entry.getValue())));
    }
    values.add(table.type().name());
    values.add(table.number());
    String sql =
        INSERTS.computeIfAbsent(rare, TaskStore::insertWith).of(table)
            + (MORE_INSERTS + ", ?".repeat(rare.size()) + "\n").repeat(tasks.size() - 1)
            + UNLESS_DRAINED;
    boolean isInserted = batch.update(sql, new StatementValues(values)) > 0;
    if (isInserted && tellsOfCreates(table.type())) {
      tasks.forEach(
          task ->
              events.addTask(
                  EventKind.CREATED,
                  task.getValue()
                      .waiting(new TaskId(task.getKey(), table), places.get(task.getKey())),
                  null));
    }
    return isInserted;
  }

  /** Whether creates of this type leave events, and so need a transaction. */
  public boolean tellsOfCreates(TaskType type) {
    return events.keeps(type, EventKind.CREATED);
  }

  private static TableSql insertWith(List<RareColumn> rare) {
    String names = rare.stream().map(column -> ", " + column.name()).collect(joining());
    String read = rare.stream().map(column -> ", v." + column.name()).collect(joining());
    String given = rare.stream().map(column -> ", ? AS " + column.name()).collect(joining());
    return new TableSql(
        INSERT
            .replace("job_index)", "job_index" + names + ")")
            .replace("v.job_index\n", "v.job_index" + read + "\n")
            .replace("AS job_index\n", "AS job_index" + given + "\n"));
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

  /** The same with {@code null} for {@linkplain #COLUMNS_BUT_LONG_LOGS long logs}. */
  public List<TaskRow> findBriefly(TaskTable table, Collection<Long> numbers) {
    return rows(BRIEF_BY_IDS, table, numbers);
  }

  /** Locks the existing rows with these numbers and returns them, in the order of their ids. */
  public List<TaskRow> lock(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BY_IDS, table, numbers);
  }

  /** The same with {@code null} for {@linkplain #COLUMNS_BUT_LONG_LOGS long logs}. */
  public List<TaskRow> lockBriefly(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BRIEF_BY_IDS, table, numbers);
  }

  /**
   * As {@link #lockBriefly}, without waiting for locks.
   *
   * @throws org.springframework.dao.DataAccessException if another transaction has locked any of
   *     the rows
   */
  public List<TaskRow> lockBrieflyAtOnce(TaskTable table, Collection<Long> numbers) {
    return rows(LOCK_BRIEF_AT_ONCE, table, numbers);
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

  private List<TaskRow> rows(TableSql select, TaskTable table, Collection<Long> numbers) {
    return jdbc.sql(select.of(table)).param("ids", numbers).query(rowsOf(table)).list();
  }

  /**
   * Writes the ends of holds, each only if its row has not changed since the transition was
   * decided: same status, epoch and modification time, and this epoch has not reported.
   *
   * @param transitions in the order of the rows' ids, at most {@value
   *     #MAX_TRANSITIONS_PER_STATEMENT}; none that {@linkplain #needsLock needs a lock}
   * @return the number of rows written; which ones is unknown if it is less than all
   */
  public int applyIfUnchanged(TaskTable table, List<TaskTransition> transitions) {
    if (transitions.stream().anyMatch(this::needsLock)) {
      throw new IllegalArgumentException("ledgered tasks and events are written under a lock");
    }
    return applyInOneStatement(table, transitions);
  }

  /**
   * Whether more is written with the transition than its row, so that it must be known which rows
   * are written: its task is {@linkplain TaskRow#isLedgered ledgered}, or it leaves an event.
   */
  public boolean needsLock(TaskTransition transition) {
    return transition.before().isLedgered()
        || events.keeps(transition.after().id().type(), transition.kind());
  }

  /**
   * Writes the ends of holds of rows that the caller has locked, each with the guard of {@link
   * #applyIfUnchanged}, in one or more statements.
   *
   * @param transitions in the order of the rows' ids
   * @throws IncorrectUpdateSemanticsDataAccessException if a row was not written although it was
   *     locked; this is a bug, and nothing must be committed
   */
  public void apply(TaskTable table, List<TaskTransition> transitions) {
    for (int start = 0; start < transitions.size(); start += MAX_TRANSITIONS_PER_STATEMENT) {
      int end = Math.min(start + MAX_TRANSITIONS_PER_STATEMENT, transitions.size());
      List<TaskTransition> group = transitions.subList(start, end);
      int changed = applyInOneStatement(table, group);
      if (changed != group.size()) {
        throw new IncorrectUpdateSemanticsDataAccessException(
            changed + " of " + group.size() + " locked tasks changed in " + table);
      }
    }
    record(transitions);
  }

  private void record(List<TaskTransition> written) {
    tell(written.stream().map(TaskLedger.Change::of).toList());
    written.forEach(
        transition -> events.addTask(transition.kind(), transition.after(), transition.errMsg()));
  }

  private void tell(List<TaskLedger.Change> changes) {
    ledgers.forEach(ledger -> ledger.record(changes));
  }

  private int applyInOneStatement(TaskTable table, List<TaskTransition> transitions) {
    List<Column> changed =
        WRITTEN_IF_CHANGED.stream()
            .filter(
                column ->
                    transitions.stream().anyMatch(transition -> column.of(transition) != null))
            .toList();
    List<Column> columns = new ArrayList<>(GUARDS);
    columns.addAll(ALWAYS_WRITTEN);
    columns.addAll(changed);
    List<Object> values = new ArrayList<>(transitions.size() * columns.size());
    transitions.forEach(transition -> columns.forEach(column -> values.add(column.of(transition))));
    // STRAIGHT_JOIN: from the values to the rows, in their order, never the other way round.
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
                each(changed, "", "t.%1$s = COALESCE(%2$s, t.%1$s), "),
                NOW_MS);
    return batch.update(sql, new StatementValues(values));
  }

  private static String each(List<Column> columns, String separator, String format) {
    return columns.stream()
        .map(column -> format.formatted(column.name(), column.sent()))
        .collect(joining(separator));
  }

  /** {@code null} for an unchanged value, so that large texts are not sent in vain. */
  private static <T> T unlessSame(T value, T current) {
    return value == null || value.equals(current) ? null : value;
  }

  /**
   * Sets a final status by an operator's act. Epoch and worker stay, so that heartbeats can tell
   * the holder of a cancelled task.
   */
  public void force(TaskRow row, TaskStatus status) {
    force(List.of(row), status);
  }

  /**
   * The same for several tasks, one statement each.
   *
   * @param rows rows that the caller has locked, in the order of their ids
   */
  public void force(List<TaskRow> rows, TaskStatus status) {
    rows.forEach(row -> forceOne(row, status));
    tell(rows.stream().map(row -> TaskLedger.Change.of(row, status)).toList());
    EventKind kind =
        switch (status) {
          case SUCCESS -> EventKind.SUCCESS;
          case FAILED -> EventKind.FAILED;
          case CANCELLED -> EventKind.CANCELLED;
          case WAITING, EXECUTING, PAUSED ->
              throw new IllegalArgumentException(status + " is not final");
        };
    rows.stream()
        .filter(row -> row.status() != status)
        .forEach(row -> events.addTask(kind, row.copy().status(status).row(), null));
    afterCommit(() -> rows.forEach(row -> pulse.forced(row, status)));
  }

  private static void afterCommit(Runnable work) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            work.run();
          }
        });
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
   * Sets a task to waiting with all its retries. Reports of earlier holds are refused, but a
   * repeated accepted report is still recognized.
   */
  public void revive(TaskRow row) {
    revive(List.of(row));
  }

  /**
   * The same for several tasks, one statement each.
   *
   * @param rows rows that the caller has locked, in the order of their ids
   */
  public void revive(List<TaskRow> rows) {
    revive(rows, TaskRow::lane);
  }

  /** The same for other workers, those of a lane. */
  public void reviveInLane(TaskRow row, String lane) {
    revive(List.of(row), revived -> lane);
  }

  private void revive(List<TaskRow> rows, Function<TaskRow, String> lane) {
    rows.forEach(row -> reviveOne(row, lane.apply(row)));
    tell(rows.stream().map(row -> TaskLedger.Change.of(row, TaskStatus.WAITING)).toList());
    rows.forEach(row -> events.addTask(EventKind.REVIVED, TaskActs.revived(row), null));
  }

  private void reviveOne(TaskRow row, String lane) {
    jdbc.sql(REVIVE.of(row.id().table()))
        .param("orderTime", TaskActs.revived(row).orderTime())
        .param("lane", lane)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
  }

  /**
   * Writes the lane of a task, and the end of its last hold if an operator ends it.
   *
   * @param before the row that the caller has locked
   * @param after the row after the act: waiting, executing or paused
   */
  public void redirect(TaskRow before, TaskRow after) {
    jdbc.sql(REDIRECT.of(before.id().table()))
        .param("status", after.status().code())
        .param("lane", after.lane())
        .param("orderTime", after.orderTime())
        .param("reportedEpoch", after.reportedEpoch())
        .param("reportId", after.reportId())
        .param("log", unlessSame(after.scheduleLog(), before.scheduleLog()))
        .param("id", before.id().number())
        .param("from", before.status().code())
        .param("epoch", before.leaseEpoch())
        .update();
    tell(List.of(TaskLedger.Change.of(before, after.status())));
    if (after.status() != before.status()) {
      EventKind kind = after.status() == TaskStatus.PAUSED ? EventKind.PAUSED : EventKind.REVOKED;
      events.addTask(kind, after, null);
    }
  }

  /**
   * Writes when a waiting task is due, and its priority.
   *
   * @param before the row that the caller has locked
   */
  public void reschedule(TaskRow before, TaskRow after) {
    jdbc.sql(RESCHEDULE.of(before.id().table()))
        .param("priority", after.priority())
        .param("orderTime", after.orderTime())
        .param("id", before.id().number())
        .param("epoch", before.leaseEpoch())
        .update();
  }

  /**
   * Sets a waiting or final task to waiting with a new body and all its retries. Reports of earlier
   * holds are refused, but a repeated accepted report is still recognized. The log stays, unless
   * the body has one.
   *
   * @param row a row that the caller has locked
   * @param lane of the new body
   */
  public void renew(TaskRow row, TaskDraft body, String lane) {
    jdbc.sql(RENEW.of(row.id().table()))
        .param("lane", lane)
        .param("user", body.userId())
        .param("stage", body.stage())
        .param("priority", orZero(body.priority()))
        .param("runAt", body.runAt())
        .param("dueIn", dueIn(body))
        .param("maxRetryNum", body.maxRetryNum())
        .param("maxRetryInterval", body.maxRetryInterval())
        .param("maxUnexpectedRetries", body.maxUnexpectedRetries())
        .param("context", orEmpty(body.context()))
        .param("log", body.scheduleLog())
        .param("traceParent", body.traceParent())
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
    tell(List.of(TaskLedger.Change.of(row, TaskStatus.WAITING)));
    events.addTask(
        row.status() == TaskStatus.WAITING ? EventKind.REPLACED : EventKind.REVIVED,
        row.renewed(body.waiting(row.id(), null)),
        null);
  }

  /** Milliseconds from now until a new task is due, unless it has a {@code runAt}. */
  private static long dueIn(TaskDraft task) {
    return task.delayMs() != null ? task.delayMs() : -orZero(task.priority()) * 1000L;
  }

  /**
   * Pauses tasks, one statement a table; each keeps its stage and its order time.
   *
   * @param rows waiting rows that the caller has locked
   */
  public void pause(List<TaskRow> rows) {
    move(PAUSE, rows, TaskStatus.PAUSED, EventKind.PAUSED);
  }

  /**
   * Lets paused tasks wait again, one statement a table.
   *
   * @param rows paused rows that the caller has locked
   */
  public void resume(List<TaskRow> rows) {
    move(RESUME, rows, TaskStatus.WAITING, EventKind.RESUMED);
  }

  private void move(TableSql statement, List<TaskRow> rows, TaskStatus status, EventKind kind) {
    Map<TaskTable, List<Long>> numbers = new TreeMap<>();
    for (TaskRow row : rows) {
      numbers.computeIfAbsent(row.id().table(), t -> new ArrayList<>()).add(row.id().number());
    }
    numbers.forEach((table, ids) -> jdbc.sql(statement.of(table)).param("ids", ids).update());
    tell(rows.stream().map(row -> TaskLedger.Change.of(row, status)).toList());
    rows.forEach(row -> events.addTask(kind, row.copy().status(status).row(), null));
  }

  /** Removes tasks that were replaced in their job from it. */
  public void leaveJob(TaskTable table, Collection<Long> numbers) {
    jdbc.sql(LEAVE_JOB.of(table)).param("ids", numbers).update();
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
        rs.getLong(34));
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

  private static int orZero(Integer value) {
    return value == null ? 0 : value;
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }
}
