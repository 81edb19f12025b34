package io.asyncflow.flowsvr.governance;

import static io.asyncflow.flowsvr.system.DatabaseClock.NOW_MS;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** {@code t_governance_job}: the last run of each job, whichever node ran it. */
@Component
class JobRunStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final JdbcClient jdbc;

  JobRunStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void write(String job, String node, long costMs, Object result, String error) {
    jdbc.sql(
            """
            INSERT INTO t_governance_job (job, node, run_time, cost_ms, result, error)
            VALUES (:job, :node, now_ms, :cost, :result, :error)
            ON DUPLICATE KEY UPDATE
              node = VALUES(node),
              run_time = VALUES(run_time),
              cost_ms = VALUES(cost_ms),
              result = VALUES(result),
              error = VALUES(error)
            """
                .replace("now_ms", NOW_MS))
        .param("job", job)
        .param("node", node)
        .param("cost", costMs)
        .param("result", JSON.writeValueAsString(result))
        .param("error", error)
        .update();
  }

  List<JobRun> all() {
    return jdbc.sql(
            """
            SELECT job, node, run_time, cost_ms, result, error
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
                    rs.getString("error")))
        .list();
  }
}
