package io.asyncflow.flowsvr.operate.stats.present;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.stats.history.MetricHistoryStore.Stage;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads which workers serve which stages, and since when types are paused. Thread-safe. */
@Component
class ServedStagesStore {

  /** The most workers that are looked at, those that were heard of last. */
  private static final int WORKERS = 1_000;

  private static final Duration LOST_AFTER = Duration.ofSeconds(30);

  private final JdbcClient jdbc;

  ServedStagesStore(ReadDatabase database) {
    this.jdbc = database.client();
  }

  /** How many workers that were heard of lately and do not drain serve what; none is left out. */
  Map<Stage, Integer> workersByStage() {
    Map<Stage, Integer> workers = new HashMap<>();
    jdbc.sql(
            sql(
                """
                SELECT s.task_type, s.task_stage, COUNT(DISTINCT s.worker_id) AS workers
                FROM (
                  SELECT worker_id, drain
                  FROM t_worker
                  WHERE beat_time > now_ms - :lostAfter
                  ORDER BY beat_time DESC
                  LIMIT :workers) w
                JOIN t_worker_stage s ON s.worker_id = w.worker_id
                WHERE w.drain = 0
                GROUP BY s.task_type, s.task_stage WITH ROLLUP
                """))
        .param("lostAfter", LOST_AFTER.toMillis())
        .param("workers", WORKERS)
        .query(
            rs -> {
              String type = rs.getString("task_type");
              String stage = rs.getString("task_stage");
              if (type != null) { // the last row is of all types
                workers.put(new Stage(type, stage == null ? "" : stage), rs.getInt("workers"));
              }
            });
    return workers;
  }

  /** The types that have been paused for longer than this. */
  Set<String> typesPausedFor(Duration age) {
    return new HashSet<>(
        jdbc.sql(sql("SELECT name FROM t_pause WHERE kind = 1 AND pause_time < now_ms - :age"))
            .param("age", age.toMillis())
            .query(String.class)
            .list());
  }
}
