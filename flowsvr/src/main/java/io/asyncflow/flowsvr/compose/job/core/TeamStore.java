package io.asyncflow.flowsvr.compose.job.core;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.compose.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_job_worker}: the workers that the copies of teams were given to. A row stays when its
 * copy moves on, so its primary key keeps the worker from ever getting another copy of the team.
 *
 * <p>Every method is one statement in the caller's transaction, if there is one.
 */
@Component
public class TeamStore {

  /** A worker that was silent for longer is not given a copy. */
  private static final Duration ALIVE = Duration.ofSeconds(30);

  // The least busy workers first.
  private static final String FREE =
      sql(
          """
          SELECT s.worker_id
          FROM t_worker_stage s FORCE INDEX (idx_stage)
          JOIN t_worker w ON w.worker_id = s.worker_id
          WHERE s.task_type = :type
            AND s.task_stage = :stage
            AND w.beat_time >= now_ms - :alive
            AND w.drain = 0
            AND NOT EXISTS (
              SELECT 1
              FROM t_pause p
              WHERE p.kind = 3
                AND p.name = s.worker_id)
            AND NOT EXISTS (
              SELECT 1
              FROM t_job_worker j
              WHERE j.job_id = :job
                AND j.worker_id = s.worker_id)
          """);
  private static final String OF_VERSION =
      """
        AND CAST(COALESCE(JSON_UNQUOTE(JSON_EXTRACT(w.description, '$.version')), '0') AS SIGNED)
          >= :version
      """;
  private static final String LEAST_BUSY = "ORDER BY w.held_tasks, RAND()\nLIMIT :limit\n";

  private static final String PLACED =
      """
      SELECT j.idx, j.worker_id, c.task_number, c.table_number
      FROM t_job_worker j
      JOIN t_job_task c ON c.job_id = j.job_id AND c.idx = j.idx
      """;
  private static final String OF_JOB =
      """
      WHERE j.job_id = :job
        AND j.moved = 0
        AND c.task_number IS NOT NULL
      """;

  private final TaskTypes types;
  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  TeamStore(TaskTypes types, JdbcClient jdbc, JdbcTemplate batch) {
    this.types = types;
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /** Why a copy is given to another worker. */
  public enum Move {
    /** Its worker is silent. */
    SILENT(1),
    /** It failed. */
    FAILED(2);

    private final int code;

    Move(int code) {
      this.code = code;
    }
  }

  /** A copy that is a task, and the worker that it was given to last. */
  public record Placed(Child copy, String workerId) {}

  /**
   * Live workers that serve a stage, are neither drained nor paused nor too old for its type, and
   * were never given a copy of the team.
   *
   * @param jobId 0 for a team that is to be created
   * @param candidates the workers in question; {@code null} for all
   */
  public List<String> free(
      long jobId, TaskType type, String stage, List<String> candidates, int limit) {
    int version = types.find(type).map(TaskTypeConfig::minWorkerVersion).orElse(0);
    String ofVersion = version == 0 ? "" : OF_VERSION;
    String amongCandidates = candidates == null ? "" : "  AND s.worker_id IN (:candidates)\n";
    return jdbc.sql(FREE + ofVersion + amongCandidates + LEAST_BUSY)
        .param("type", type.name())
        .param("stage", stage)
        .param("alive", ALIVE.toMillis())
        .param("job", jobId)
        .param("version", version)
        .param("candidates", candidates)
        .param("limit", limit)
        .query(String.class)
        .list();
  }

  /**
   * Gives copies to workers, from the copy {@code first} on.
   *
   * @throws org.springframework.dao.DuplicateKeyException if one of the workers was given a copy
   *     before; waits for a concurrent transaction that does so
   */
  public void give(long jobId, int first, List<String> workers) {
    List<Object[]> rows = new ArrayList<>(workers.size());
    for (int i = 0; i < workers.size(); i++) {
      rows.add(new Object[] {jobId, workers.get(i), first + i});
    }
    batch.batchUpdate("INSERT INTO t_job_worker (job_id, worker_id, idx) VALUES (?, ?, ?)", rows);
  }

  /** Takes a copy from its worker; false if another worker has it already. */
  public boolean take(long jobId, Placed from, Move why) {
    return jdbc.sql(
                """
                UPDATE t_job_worker
                SET moved = :why
                WHERE job_id = :job
                  AND worker_id = :worker
                  AND idx = :index
                  AND moved = 0
                """)
            .param("why", why.code)
            .param("job", jobId)
            .param("worker", from.workerId())
            .param("index", from.copy().index())
            .update()
        == 1;
  }

  /** The workers that have these copies, by the indices of the copies. */
  public Map<Integer, String> workers(long jobId, int from, int limit) {
    Map<Integer, String> workers = new HashMap<>();
    jdbc.sql(
            """
            SELECT idx, worker_id
            FROM t_job_worker
            WHERE job_id = :job
              AND idx >= :from
              AND idx < :to
              AND moved = 0
            """)
        .param("job", jobId)
        .param("from", from)
        .param("to", from + limit)
        .query(
            rs -> {
              workers.put(rs.getInt("idx"), rs.getString("worker_id"));
            });
    return workers;
  }

  /** The copies whose workers have been silent for so long, ended ones too. */
  public List<Placed> withSilentWorkers(JobRow team, Duration silence) {
    return jdbc.sql(
            sql(
                PLACED
                    + "LEFT JOIN t_worker w ON w.worker_id = j.worker_id\n"
                    + OF_JOB
                    + """
                      AND (w.beat_time IS NULL
                        OR w.beat_time < now_ms - :silence)
                    ORDER BY j.idx
                    """))
        .param("job", team.id())
        .param("silence", silence.toMillis())
        .query((rs, row) -> placed(rs, team.childType()))
        .list();
  }

  /** The copies that may move once more after a failure, whether they failed or not. */
  public List<Placed> withMovesLeft(JobRow team) {
    return jdbc.sql(
            PLACED
                + OF_JOB
                + """
                  AND (
                    SELECT COUNT(*)
                    FROM t_job_worker m
                    WHERE m.job_id = j.job_id
                      AND m.idx = j.idx
                      AND m.moved = :failed) < :moves
                ORDER BY j.idx
                """)
        .param("job", team.id())
        .param("failed", Move.FAILED.code)
        .param("moves", team.team().maxMoves())
        .query((rs, row) -> placed(rs, team.childType()))
        .list();
  }

  private static Placed placed(ResultSet rs, TaskType type) throws SQLException {
    return new Placed(Child.read(rs, type), rs.getString("worker_id"));
  }
}
