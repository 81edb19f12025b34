package io.asyncflow.flowsvr.operate.why;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.joining;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.operate.why.DescribedWorker.State;
import io.asyncflow.flowsvr.operate.why.Facts.DoneAct;
import io.asyncflow.flowsvr.operate.why.Facts.Holder;
import io.asyncflow.flowsvr.task.pause.PauseStore;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
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
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What decides about a task, each in one bounded statement. Thread-safe. */
@Component
class WhyStore {

  private static final Duration LOST_AFTER = Duration.ofSeconds(30);
  private static final int MOST_WORKERS = 1_000;
  private static final int MOST_HOLDERS = 100;
  private static final int MOST_ACTS = 100;

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

  private final JdbcClient jdbc;

  WhyStore(ReadDatabase reads) {
    this.jdbc = reads.client();
  }

  /** The database's clock, epoch ms. */
  long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
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
        .query((rs, row) -> PauseStore.read(rs))
        .list();
  }

  /** The workers that were heard of last. */
  List<DescribedWorker> workers() {
    return jdbc.sql(
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
  }

  private DescribedWorker worker(ResultSet rs) throws SQLException {
    Description says = Description.read(rs.getString("description"));
    boolean isSilent = rs.getLong("silent_ms") > LOST_AFTER.toMillis();
    State state =
        says.hasStopped()
            ? State.STOPPED
            : isSilent ? State.LOST : rs.getBoolean("drain") ? State.DRAINING : State.ALIVE;
    return new DescribedWorker(rs.getString("worker_id"), says, state);
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

  /** The last acts on a task and on its job, newest first. */
  List<DoneAct> acts(TaskId task, Long jobId) {
    String ofObject =
        """
        (SELECT id, act_time, act, operator, reason, actor, new_task_id
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
