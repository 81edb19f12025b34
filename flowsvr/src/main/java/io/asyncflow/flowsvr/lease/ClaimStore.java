package io.asyncflow.flowsvr.lease;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TableSql;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statements of a claim.
 *
 * <p>All of them rest on {@code idx_claim (status, task_stage, order_time)}: the waiting tasks of
 * one stage are one contiguous range of it in the order of their due times (and, among equals, of
 * their ids, which InnoDB appends). So a claim reads what it takes, however many tasks wait, are
 * delayed, or belong to other stages. ClaimPlanContract holds both engines to that.
 */
@Component
class ClaimStore {

  static final TableSql HEAD_OF_SOURCE =
      new TableSql(
          """
          SELECT id, order_time, now_ms AS db_now
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage = ?
          ORDER BY order_time, id
          LIMIT ?
          """
              .replace("now_ms", NOW_MS));

  /**
   * One step into the index, however many tasks a stage has. GROUP BY would ask once for all
   * stages, but only MySQL can do that by such steps; MariaDB reads every waiting task.
   */
  private static final TableSql NEXT_STAGE =
      new TableSql(
          """
          SELECT MIN(task_stage)
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage > ?
          """);

  static final TableSql LOCK_DUE =
      new TableSql(
          """
          SELECT id
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 1
            AND task_stage = :stage
            AND order_time <= now_ms
          ORDER BY order_time, id
          LIMIT :limit
          FOR UPDATE SKIP LOCKED
          """
              .replace("now_ms", NOW_MS));

  private static final TableSql MARK_HELD =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = 2,
              lease_epoch = lease_epoch + 1,
              worker_id = :worker,
              trace_id = :trace,
              hold_time = now_ms,
              beat_time = 0,
              lease_end = now_ms + :lease,
              progress = NULL,
              modify_time = now_ms
          WHERE id IN (:ids)
            AND status = 1
          """
              .replace("now_ms", NOW_MS));

  private static final TableSql HELD =
      new TableSql(
          "SELECT "
              + TaskStore.COLUMNS
              + """

              FROM %s FORCE INDEX (PRIMARY)
              WHERE id IN (:ids)
                AND status = 2
                AND worker_id = :worker
                AND trace_id = :trace
              """);

  private final JdbcClient jdbc;

  ClaimStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The waiting tasks of one stage in one table. */
  record Source(TaskTable table, String stage) {}

  /**
   * A waiting task that stands at the head of its source.
   *
   * @param now the database's epoch ms when it was seen
   */
  record Head(Source source, long number, long orderTime, long now) {
    boolean isDue() {
      return orderTime <= now;
    }
  }

  /** The stages that any task waits for. */
  List<String> waitingStages(TaskTable table) {
    List<String> stages = new ArrayList<>();
    String last = ""; // no stage is called that
    while (last != null) {
      last = jdbc.sql(NEXT_STAGE.of(table)).param(last).query(String.class).optional().orElse(null);
      if (last != null) {
        stages.add(last);
      }
    }
    return stages;
  }

  /** The first tasks of each source, due or not, without a lock; in one statement. */
  List<Head> heads(List<Source> sources, int limit) {
    StringBuilder sql = new StringBuilder();
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      Source source = sources.get(i);
      sql.append(i == 0 ? "" : "UNION ALL\n");
      sql.append("SELECT ").append(i).append(" AS source, h.* FROM (\n");
      sql.append(HEAD_OF_SOURCE.of(source.table())).append(") h\n");
      values.add(source.stage());
      values.add(limit);
    }
    return jdbc.sql(sql.toString())
        .params(values)
        .query(
            (rs, row) ->
                new Head(
                    sources.get(rs.getInt("source")),
                    rs.getLong("id"),
                    rs.getLong("order_time"),
                    rs.getLong("db_now")))
        .list();
  }

  /** Locks the first due tasks that nobody else has locked, and returns their numbers. */
  List<Long> lockDue(Source source, int limit) {
    return jdbc.sql(LOCK_DUE.of(source.table()))
        .param("stage", source.stage())
        .param("limit", limit)
        .query(Long.class)
        .list();
  }

  /** Marks those of the tasks that still wait as held, and returns how many did. */
  int markHeld(TaskTable table, Collection<Long> numbers, TaskTypeConfig type, Holder holder) {
    return jdbc.sql(MARK_HELD.of(table))
        .param("worker", holder.workerId())
        .param("trace", holder.traceId())
        .param("lease", holder.firstLease(type).toMillis())
        .param("ids", numbers)
        .update();
  }

  /** Those of the tasks that this hold still holds. */
  List<TaskRow> held(TaskTable table, Collection<Long> numbers, Holder holder) {
    return jdbc.sql(HELD.of(table))
        .param("ids", numbers)
        .param("worker", holder.workerId())
        .param("trace", holder.traceId())
        .query(TaskStore.rowsOf(table))
        .list();
  }
}
