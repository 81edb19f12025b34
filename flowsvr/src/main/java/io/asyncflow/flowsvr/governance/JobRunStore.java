package io.asyncflow.flowsvr.governance;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code t_governance_job}: the last run of each job, whichever node ran it. */
@Component
class JobRunStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  JobRunStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * What is written down of a run.
   *
   * @param ageMs how long ago it ended
   * @param error {@code null} if it went well
   * @param isDeed whether it did something, so that it is remembered when later runs did not
   */
  record Note(
      String job,
      String node,
      long ageMs,
      long costMs,
      Object result,
      String error,
      boolean isDeed) {}

  /** Writes runs of different jobs as one statement. */
  void write(Collection<Note> notes) {
    List<Object[]> rows = new ArrayList<>(notes.size());
    for (Note note : notes) {
      String result = JSON.writeValueAsString(note.result());
      rows.add(
          new Object[] {
            note.job(),
            note.node(),
            note.ageMs(),
            note.costMs(),
            result,
            note.error(),
            note.isDeed() ? note.ageMs() : null,
            note.isDeed() ? result : null
          });
    }
    batch.batchUpdate(
        """
        INSERT INTO t_governance_job
          (job, node, run_time, cost_ms, result, error, did_time, did_result)
        VALUES (?, ?, now_ms - ?, ?, ?, ?, now_ms - ?, ?)
        ON DUPLICATE KEY UPDATE
          node = VALUES(node),
          run_time = VALUES(run_time),
          cost_ms = VALUES(cost_ms),
          result = VALUES(result),
          error = VALUES(error),
          did_time = COALESCE(VALUES(did_time), did_time),
          did_result = COALESCE(VALUES(did_result), did_result)
        """
            .replace("now_ms", NOW_MS),
        rows);
  }

  List<JobRun> all() {
    return jdbc.sql(
            """
            SELECT job, node, run_time, cost_ms, result, error, did_time, did_result
            FROM t_governance_job
            ORDER BY job
            """)
        .query(
            (rs, row) ->
                new JobRun(
                    rs.getString("job"),
                    rs.getString("node"),
                    rs.getLong("run_time"),
                    rs.getLong("cost_ms"),
                    JSON.readTree(rs.getString("result")),
                    rs.getString("error"),
                    rs.getObject("did_time", Long.class),
                    treeOrNull(rs.getString("did_result"))))
        .list();
  }

  private static JsonNode treeOrNull(String json) {
    return json == null ? null : JSON.readTree(json);
  }
}
