package io.asyncflow.flowsvr.operate.governance;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code t_duty_run}: the last run of each duty, whichever node ran it. */
@Component
class DutyRunStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  DutyRunStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * The record of a run.
   *
   * @param ageMs time since its end
   * @param error {@code null} if the run succeeded
   * @param hadEffect whether the run had an effect, which later runs without an effect do not
   *     overwrite
   */
  record Note(
      String duty,
      String node,
      long ageMs,
      long costMs,
      Object result,
      String error,
      boolean hadEffect) {}

  /** Writes runs of different duties as one statement. */
  void write(Collection<Note> notes) {
    List<Object[]> rows = new ArrayList<>(notes.size());
    for (Note note : notes) {
      String result = JSON.writeValueAsString(note.result());
      rows.add(
          new Object[] {
            note.duty(),
            note.node(),
            note.ageMs(),
            note.costMs(),
            result,
            note.error(),
            note.hadEffect() ? note.ageMs() : null,
            note.hadEffect() ? result : null
          });
    }
    batch.batchUpdate(
        sql(
            """
        INSERT INTO t_duty_run
          (duty, node, run_time, cost_ms, result, error, effect_time, effect)
        VALUES (?, ?, now_ms - ?, ?, ?, ?, now_ms - ?, ?)
        ON DUPLICATE KEY UPDATE
          node = VALUES(node),
          run_time = VALUES(run_time),
          cost_ms = VALUES(cost_ms),
          result = VALUES(result),
          error = VALUES(error),
          effect_time = COALESCE(VALUES(effect_time), effect_time),
          effect = COALESCE(VALUES(effect), effect)
        """),
        rows);
  }

  List<DutyRun> all() {
    return jdbc.sql(
            """
            SELECT duty, node, run_time, cost_ms, result, error, effect_time, effect
            FROM t_duty_run
            ORDER BY duty
            """)
        .query(
            (rs, row) ->
                new DutyRun(
                    rs.getString("duty"),
                    rs.getString("node"),
                    rs.getLong("run_time"),
                    rs.getLong("cost_ms"),
                    JSON.readTree(rs.getString("result")),
                    rs.getString("error"),
                    rs.getObject("effect_time", Long.class),
                    treeOrNull(rs.getString("effect"))))
        .list();
  }

  private static JsonNode treeOrNull(String json) {
    return json == null ? null : JSON.readTree(json);
  }
}
