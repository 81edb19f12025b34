package io.asyncflow.flowsvr.operator;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code t_act}: one row for each act of an operator that is not in {@code t_audit}, written in the
 * act's transaction. Thread-safe.
 */
@Component
public class ActStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String INSERT =
      sql(
          """
          INSERT INTO t_act (act_time, act, object, operator, reason, detail)
          VALUES (now_ms, ?, ?, ?, ?, ?)
          """);

  private static final String INSERT_OF_TASK =
      sql(
          """
          INSERT INTO t_act
            (act_time, act, object, task_id, operator, reason, status_before, status_after, detail)
          VALUES (now_ms, ?, ?, ?, ?, ?, ?, ?, ?)
          """);

  private final JdbcTemplate batch;

  ActStore(JdbcTemplate batch) {
    this.batch = batch;
  }

  /**
   * Records an act.
   *
   * @param act such as {@code PAUSE}
   * @param object such as {@code schedule:249835547751612417}
   * @param operator as the caller names itself; may be empty
   * @param reason may be empty
   * @param detail what changed, shown as JSON; {@code null} for nothing
   */
  public void record(String act, String object, String operator, String reason, Object detail) {
    batch.update(
        INSERT, new StatementValues(Arrays.asList(act, object, operator, reason, json(detail))));
  }

  private static String json(Object detail) {
    return detail == null ? null : JSON.writeValueAsString(detail);
  }

  /**
   * Records an act on a task.
   *
   * @param detail what else changed, shown as JSON; {@code null} for nothing
   */
  void record(Act act, TaskId id, TaskStatus before, TaskStatus after, Object detail) {
    batch.update(
        INSERT_OF_TASK,
        new StatementValues(
            Arrays.asList(
                act.kind().name(),
                objectOf(id),
                id.toString(),
                act.operator(),
                act.reason(),
                before.code(),
                after.code(),
                json(detail))));
  }

  private static String objectOf(TaskId id) {
    return "task:" + id;
  }

  /** The acts on one task that are recorded here, newest first. */
  List<AuditEntry> find(TaskId id, int limit) {
    return batch.query(
        """
        SELECT act_time, act, task_id, operator, reason, status_before, status_after
        FROM t_act
        WHERE object = ?
        ORDER BY id DESC
        LIMIT ?
        """,
        (rs, row) ->
            new AuditEntry(
                rs.getLong("act_time"),
                rs.getString("act"),
                rs.getString("task_id"),
                rs.getString("operator"),
                rs.getString("reason"),
                rs.getInt("status_before"),
                rs.getInt("status_after"),
                null),
        objectOf(id),
        limit);
  }

  /** Records the same act on several objects, without an operator. */
  public void recordAll(String act, Collection<String> objects) {
    batch.batchUpdate(
        INSERT, objects.stream().map(object -> new Object[] {act, object, "", "", null}).toList());
  }

  /** Deletes a page of the oldest acts of this age; returns their number. */
  int deleteOlderThan(Duration age, int limit) {
    return batch.update(
        sql(
            """
            DELETE FROM t_act
            WHERE act_time < now_ms - ?
            ORDER BY act_time
            LIMIT ?
            """),
        age.toMillis(),
        limit);
  }
}
