package io.asyncflow.flowsvr.why;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.flowsvr.why.DescribedWorker.State;
import io.asyncflow.flowsvr.why.Facts.DoneAct;
import io.asyncflow.flowsvr.why.Facts.Holder;
import io.asyncflow.flowsvr.why.Facts.JobFacts;
import io.asyncflow.flowsvr.why.WorkerDescriptions.Description;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** What decides about a task, each in one bounded statement. Thread-safe. */
@Component
class WhyStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration LOST_AFTER = Duration.ofSeconds(30);
  private static final int MOST_WORKERS = 1_000;
  private static final int MOST_HOLDERS = 100;
  private static final int MOST_ACTS = 100;

  private static final TableSql BY_ID =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS_BUT_CONTENTS
              + "\nFROM %s FORCE INDEX (PRIMARY)\nWHERE id = ?");

  private static final TableSql AHEAD =
      new TableSql(
          """
          SELECT COUNT(*)
          FROM (
            SELECT 1
            FROM %s FORCE INDEX (idx_claim)
            WHERE status = 1
              AND task_stage = ?
              AND lane = ?
              AND (order_time < ? OR order_time = ? AND id < ?)
            LIMIT <most>) ahead
          """
              .replace("<most>", "" + WaitingReasons.MOST_AHEAD));

  private static final TableSql HOLDERS =
      new TableSql(
          """
          SELECT worker_id, hold_time
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 2
            AND task_stage = ?
            AND lane = ?
          ORDER BY order_time DESC
          LIMIT <most>
          """
              .replace("<most>", "" + MOST_HOLDERS));

  private static final TableSql EXECUTING =
      new TableSql(
          """
          SELECT COUNT(*)
          FROM (
            SELECT 1
            FROM %s FORCE INDEX (idx_claim)
            WHERE status = 2
            LIMIT ?) executing
          """);

  private final WorkerDescriptions descriptions = new WorkerDescriptions();
  private final JdbcClient jdbc;

  WhyStore(ReadDatabase reads) {
    this.jdbc = reads.client();
  }

  /** The database's clock, epoch ms. */
  long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  /** The row of a task, without contents. */
  Optional<TaskRow> task(TaskId id) {
    return jdbc.sql(BY_ID.of(id.table()))
        .param(id.number())
        .query(TaskStore.rowsOf(id.table()))
        .optional();
  }

  /** The pauses of a type, of a stage of it, and of workers. */
  List<Pause> pauses(TaskType type, String stage) {
    return jdbc.sql(
            sql(
                """
                SELECT kind, name, until_time, operator, reason, pause_time
                FROM t_pause
                WHERE (kind = 1 AND name = :type OR kind = 2 AND name = :stage OR kind = 3)
                  AND (until_time IS NULL OR until_time > now_ms)
                ORDER BY kind
                LIMIT :most
                """))
        .param("type", type.name())
        .param("stage", type.name() + "/" + stage)
        .param("most", MOST_WORKERS)
        .query(
            (rs, row) ->
                new Pause(
                    PauseKind.values()[rs.getInt("kind") - 1],
                    rs.getString("name"),
                    rs.getObject("until_time", Long.class),
                    rs.getString("operator"),
                    rs.getString("reason"),
                    rs.getLong("pause_time")))
        .list();
  }

  /** The workers that were heard of last. */
  List<DescribedWorker> workers() {
    List<DescribedWorker> workers =
        jdbc.sql(
                sql(
                    """
                SELECT worker_id, description, drain, now_ms - beat_time AS silent_ms
                FROM t_worker FORCE INDEX (idx_beat)
                ORDER BY beat_time DESC
                LIMIT :most
                """))
            .param("most", MOST_WORKERS)
            .query((rs, row) -> worker(rs))
            .list();
    descriptions.retain(workers.stream().map(DescribedWorker::id).collect(toSet()));
    return workers;
  }

  private DescribedWorker worker(ResultSet rs) throws SQLException {
    String id = rs.getString("worker_id");
    Description says = descriptions.of(id, rs.getString("description"));
    boolean isSilent = rs.getLong("silent_ms") > LOST_AFTER.toMillis();
    State state =
        says.hasStopped()
            ? State.STOPPED
            : isSilent ? State.LOST : rs.getBoolean("drain") ? State.DRAINING : State.ALIVE;
    return new DescribedWorker(id, says, state);
  }

  /** The workers of a lane. */
  Set<String> workersOf(String lane) {
    return jdbc.sql("SELECT workers FROM t_lane WHERE lane = :lane")
        .param("lane", lane)
        .query(String.class)
        .optional()
        .map(json -> Set.of(JSON.readValue(json, String[].class)))
        .orElse(Set.of());
  }

  /** The waiting tasks before this one in its stage and lane, over all live tables, to a limit. */
  int ahead(TaskRow row, List<TaskTable> live) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < live.size(); i++) {
      values.addAll(
          List.of(row.stage(), row.lane(), row.orderTime(), row.orderTime(), row.id().number()));
    }
    int ahead = sum(AHEAD, live, values);
    return Math.min(ahead, WaitingReasons.MOST_AHEAD);
  }

  /** The executing tasks of a type, to a limit in each table. */
  int executing(List<TaskTable> live, int most) {
    List<Object> values = new ArrayList<>();
    live.forEach(table -> values.add(most));
    return sum(EXECUTING, live, values);
  }

  private int sum(TableSql count, List<TaskTable> tables, List<Object> values) {
    String sql = tables.stream().map(count::of).collect(joining("UNION ALL\n"));
    return jdbc.sql(sql).params(values).query(Integer.class).list().stream()
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** Some holders of tasks of the stage and lane. */
  List<Holder> holders(TaskRow row) {
    return jdbc.sql(HOLDERS.of(row.id().table()))
        .params(row.stage(), row.lane())
        .query((rs, n) -> new Holder(rs.getString("worker_id"), rs.getLong("hold_time")))
        .list();
  }

  /**
   * Microseconds since 1970 until which the rate of a type is spent, and now.
   *
   * @param spentUntil 0 if no claim has used it
   */
  record Spent(long spentUntil, long now) {}

  Spent spent(TaskType type) {
    return jdbc.sql(
            """
            SELECT COALESCE(MAX(spent_until), 0) AS spent_until,
              CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) AS now_us
            FROM t_type_limit
            WHERE task_type = :type
            """)
        .param("type", type.name())
        .query((rs, row) -> new Spent(rs.getLong("spent_until"), rs.getLong("now_us")))
        .single();
  }

  Optional<JobFacts> job(long id) {
    return jdbc.sql(
            """
            SELECT id, job_type, child_type, user_id, state, total, released,
              released - done - failed - cancelled AS in_flight, release_window, pause,
              team IS NOT NULL AS is_team
            FROM t_job
            WHERE id = :id
            """)
        .param("id", id)
        .query(
            (rs, row) ->
                new JobFacts(
                    id,
                    new TaskType(rs.getString("job_type")),
                    new TaskType(rs.getString("child_type")),
                    rs.getString("user_id"),
                    rs.getString("state"),
                    rs.getObject("total", Integer.class),
                    rs.getInt("released"),
                    rs.getInt("in_flight"),
                    rs.getObject("release_window", Integer.class),
                    rs.getInt("pause") == 1,
                    rs.getBoolean("is_team")))
        .optional();
  }

  /** The task of a child of a job, if there is one. */
  Optional<TaskId> child(JobFacts job, int index) {
    return jdbc.sql(
            """
            SELECT task_number, table_number
            FROM t_job_task
            WHERE job_id = :job
              AND idx = :index
              AND task_number IS NOT NULL
            """)
        .param("job", job.id())
        .param("index", index)
        .query(
            (rs, row) ->
                new TaskId(
                    rs.getLong("task_number"),
                    new TaskTable(job.childType(), rs.getInt("table_number"))))
        .optional();
  }

  /** The last acts on a task and on its job, newest first. */
  List<DoneAct> acts(TaskId task, Long jobId) {
    String ofObject =
        """
        (SELECT id, act_time, act, object, operator, reason, actor, new_task_id
        FROM t_act FORCE INDEX (idx_object_time)
        WHERE object = ?
        ORDER BY act_time DESC, id DESC
        LIMIT <most>)
        """
            .replace("<most>", "" + MOST_ACTS);
    List<Object> values = new ArrayList<>(List.of(Act.objectOf(task)));
    String ofJob = "";
    if (jobId != null) {
      ofJob = "UNION ALL\n" + ofObject;
      values.add("job:" + jobId);
    }
    return jdbc.sql(ofObject + ofJob + "ORDER BY act_time DESC, id DESC")
        .params(values)
        .query(
            (rs, row) ->
                new DoneAct(
                    rs.getLong("act_time"),
                    rs.getString("act"),
                    rs.getString("object"),
                    rs.getString("operator"),
                    rs.getString("reason"),
                    rs.getString("actor"),
                    rs.getString("new_task_id")))
        .list();
  }

  /** When leases were swept last, epoch ms. */
  Optional<Long> lastSweep() {
    return jdbc.sql("SELECT run_time FROM t_duty_run WHERE duty = 'expired-lease-sweep'")
        .query(Long.class)
        .optional();
  }
}
