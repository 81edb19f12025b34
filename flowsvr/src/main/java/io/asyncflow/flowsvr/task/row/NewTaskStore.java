package io.asyncflow.flowsvr.task.row;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Inserts new tasks into their tables.
 *
 * <p>Every method runs in the caller's transaction, if there is one. Thread-safe.
 */
@Component
public class NewTaskStore {

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

  /** Tells those that are held from their beginning, and replaces the database's clock for them. */
  private static final String HOLD_TIME = "hold_time";

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
          new RareColumn(
              "lane", row -> row.lane().equals(Lane.OPEN) ? null : row.lane(), Lane.OPEN),
          new RareColumn("trace_parent", row -> row.task().traceParent(), null),
          ofHeld("worker_id", TaskRow::workerId, ""),
          ofHeld("trace_id", TaskRow::traceId, ""),
          ofHeld("lease_epoch", TaskRow::leaseEpoch, 0),
          ofHeld("lease_end", TaskRow::leaseEnd, 0),
          ofHeld(HOLD_TIME, TaskRow::holdTime, 0));

  private static RareColumn ofHeld(String name, Function<TaskRow, Object> value, Object none) {
    return new RareColumn(name, row -> row.held() == null ? null : value.apply(row.held()), none);
  }

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

  private final JdbcTemplate jdbc;
  private final EventLog events;

  NewTaskStore(JdbcTemplate jdbc, EventLog events) {
    this.jdbc = jdbc;
    this.events = events;
  }

  /** Whether {@link #insertUnlessDrained} inserts these tasks in one statement. */
  public static boolean fitOneStatement(Collection<TaskDraft> tasks) {
    return tasks.size() <= MAX_INSERTS_PER_STATEMENT
        && tasks.stream().mapToInt(NewTaskStore::characters).sum() <= MAX_CHARACTERS_PER_STATEMENT;
  }

  private static int characters(TaskDraft task) {
    return orEmpty(task.context()).length() + orEmpty(task.scheduleLog()).length();
  }

  /**
   * Creates tasks, unless begin has moved past the table. Begin cannot move until the transaction
   * ends, or the statement if there is none: the table's row in {@code t_task_table} is locked as
   * by {@link io.asyncflow.flowsvr.task.table.NewTaskTables#enter}.
   *
   * @param rows in the order of their ids; requires a transaction if they do not {@link
   *     #fitOneStatement}
   * @return false if begin has moved past the table; then nothing is created
   */
  public boolean insertUnlessDrained(TaskTable table, List<NewRow> rows) {
    int from = 0;
    int characters = 0;
    for (int i = 0; i < rows.size(); i++) {
      int added = characters(rows.get(i).task());
      boolean isFull =
          i - from == MAX_INSERTS_PER_STATEMENT
              || characters + added > MAX_CHARACTERS_PER_STATEMENT;
      if (isFull && i > from) {
        if (!insertInOneStatement(table, rows.subList(from, i))) {
          return false;
        }
        from = i;
        characters = 0;
      }
      characters += added;
    }
    return insertInOneStatement(table, rows.subList(from, rows.size()));
  }

  private boolean insertInOneStatement(TaskTable table, List<NewRow> rows) {
    List<RareColumn> rare =
        RARE_COLUMNS.stream()
            .filter(column -> rows.stream().anyMatch(row -> column.value().apply(row) != null))
            .toList();
    List<Object> values = new ArrayList<>(rows.size() * (12 + rare.size()) + 2);
    for (NewRow row : rows) {
      TaskDraft task = row.task();
      JobPlace place = row.place();
      values.add(row.id().number());
      values.add(task.userId());
      values.add(task.stage());
      values.add(task.head());
      values.add(task.runAt());
      values.add(task.dueIn());
      values.add(task.maxRetryNum());
      values.add(task.maxRetryInterval());
      values.add(orEmpty(task.context()));
      values.add(orEmpty(task.scheduleLog()));
      values.add(place == null ? null : place.jobId());
      values.add(place == null ? null : place.index());
      rare.forEach(column -> values.add(column.valueOf(row)));
    }
    values.add(table.type().name());
    values.add(table.number());
    String sql =
        INSERTS.computeIfAbsent(rare, NewTaskStore::insertWith).of(table)
            + (MORE_INSERTS + ", ?".repeat(rare.size()) + "\n").repeat(rows.size() - 1)
            + UNLESS_DRAINED;
    return jdbc.update(sql, new StatementValues(values)) > 0;
  }

  /**
   * Writes the events of new tasks, if their type {@linkplain #tellsOfCreates keeps them}. Requires
   * the transaction that inserts them.
   */
  public void tellOfCreates(TaskType type, List<NewRow> rows) {
    if (tellsOfCreates(type)) {
      rows.forEach(
          row ->
              events.addTask(EventKind.CREATED, row.task().waiting(row.id(), row.place()), null));
    }
  }

  /** Whether creates of this type leave events, and so need a transaction. */
  public boolean tellsOfCreates(TaskType type) {
    return events.keeps(type, EventKind.CREATED);
  }

  private static TableSql insertWith(List<RareColumn> rare) {
    String names = rare.stream().map(column -> ", " + column.name()).collect(joining());
    String read = rare.stream().map(column -> ", v." + column.name()).collect(joining());
    String given = rare.stream().map(column -> ", ? AS " + column.name()).collect(joining());
    boolean isAnyHeld = rare.stream().anyMatch(column -> column.name().equals(HOLD_TIME));
    String insert =
        isAnyHeld
            ? INSERT
                .replace("v.task_stage, 1,", "v.task_stage, IF(v.hold_time = 0, 1, 2),")
                .replace("now_ms", "IF(v.hold_time = 0, now_ms, v.hold_time)")
            : INSERT;
    return new TableSql(
        insert
            .replace("job_index)", "job_index" + names + ")")
            .replace("v.job_index\n", "v.job_index" + read + "\n")
            .replace("AS job_index\n", "AS job_index" + given + "\n"));
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }
}
