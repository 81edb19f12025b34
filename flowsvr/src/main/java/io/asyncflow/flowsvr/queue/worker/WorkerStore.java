package io.asyncflow.flowsvr.queue.worker;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.queue.hold.OpenHolds.Drain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Statements on {@code t_worker}: one row for each worker process, kept for a day after its last
 * beat.
 */
@Component
class WorkerStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The limit of workers in one statement. */
  private static final int PAGE = 1_000;

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  WorkerStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * A buffered beat.
   *
   * @param ageMs time since its arrival
   */
  record AgedBeat(WorkerBeat beat, long ageMs) {}

  /**
   * Writes beats in one statement; values that a beat does not contain stay unchanged. A drain
   * stays unless the beat comes from another start than the previous beat. Beats are ordered by
   * their arrival, not by the worker's last sign of life, which may be a hold of either start.
   */
  void write(Collection<AgedBeat> beats) {
    List<Object[]> rows = new ArrayList<>(beats.size());
    for (AgedBeat aged : beats) {
      WorkerBeat beat = aged.beat();
      rows.add(
          new Object[] {
            beat.workerId(),
            beat.startId(),
            beat.host(),
            beat.sdkVersion(),
            beat.description(),
            beat.heldTasks(),
            aged.ageMs(),
            aged.ageMs(),
            aged.ageMs()
          });
    }
    // drain comes before start_id and start_time last: all must read the old start and time.
    batch.batchUpdate(
        sql(
            """
        INSERT INTO t_worker
          (worker_id, start_id, host, sdk_version, description, held_tasks, first_time, beat_time,
           start_time)
        VALUES (?, ?, ?, ?, ?, ?, now_ms - ?, now_ms - ?, now_ms - ?)
        ON DUPLICATE KEY UPDATE
          drain = IF(VALUES(start_id) IN ('', start_id) OR VALUES(start_time) < start_time,
            drain, 0),
          start_id = IF(VALUES(start_id) = '' OR VALUES(start_time) < start_time,
            start_id, VALUES(start_id)),
          host = IF(VALUES(host) = '' OR VALUES(start_time) < start_time, host, VALUES(host)),
          sdk_version = IF(VALUES(sdk_version) = '' OR VALUES(start_time) < start_time,
            sdk_version, VALUES(sdk_version)),
          description = IF(VALUES(description) = '{}' OR VALUES(start_time) < start_time,
            description, VALUES(description)),
          held_tasks = IF(VALUES(start_time) < start_time, held_tasks, VALUES(held_tasks)),
          beat_time = GREATEST(beat_time, VALUES(beat_time)),
          start_time = IF(VALUES(start_id) = '', start_time,
            GREATEST(start_time, VALUES(start_time)))
        """),
        rows);
  }

  /** Updates the last sign of life of workers; workers without a row stay unknown. */
  void markAlive(Set<String> workerIds) {
    List<String> sorted = workerIds.stream().sorted().toList(); // as every server does
    for (List<String> group : StatementGroups.of(sorted, PAGE)) {
      jdbc.sql(
              sql(
                  """
              UPDATE t_worker
              SET beat_time = GREATEST(beat_time, now_ms)
              WHERE worker_id IN (:workers)
              ORDER BY worker_id
              """))
          .param("workers", group)
          .update();
    }
  }

  /** The drains of the drained workers. */
  Map<String, Drain> draining() {
    Map<String, Drain> drains = new HashMap<>();
    jdbc.sql("SELECT worker_id, start_id, drain_grace FROM t_worker WHERE drain = 1")
        .query(
            rs -> {
              drains.put(
                  rs.getString("worker_id"),
                  new Drain(rs.getString("start_id"), rs.getObject("drain_grace", Long.class)));
            });
    return drains;
  }

  /** Sets or cancels a worker's drain; false if there is no such worker. */
  boolean setDrain(String workerId, boolean drain, Long graceMs) {
    return jdbc.sql(
                """
                UPDATE t_worker
                SET drain = :drain,
                    drain_grace = :grace
                WHERE worker_id = :worker
                """)
            .param("drain", drain)
            .param("grace", graceMs)
            .param("worker", workerId)
            .update()
        == 1;
  }

  /** Workers, the latest beat first. */
  List<WorkerView> list(Duration lostAfter, Predicate<String> isPaused, int limit, Names seen) {
    Map<String, Object> params = new HashMap<>(Map.of("limit", limit));
    String onlySeen = seen.and("worker_id", "worker", params);
    return read(
            """
            WHERE TRUE
            %sORDER BY beat_time DESC
            LIMIT :limit
            """
                .formatted(onlySeen),
            params,
            lostAfter,
            isPaused)
        .list();
  }

  /** A worker; empty if there is no row of it. */
  Optional<WorkerView> find(String workerId, Duration lostAfter, Predicate<String> isPaused) {
    return read("WHERE worker_id = :worker\n", Map.of("worker", workerId), lostAfter, isPaused)
        .optional();
  }

  private JdbcClient.MappedQuerySpec<WorkerView> read(
      String which, Map<String, ?> params, Duration lostAfter, Predicate<String> isPaused) {
    return jdbc.sql(
            sql(
                """
            SELECT worker_id, host, sdk_version, description, held_tasks, first_time, beat_time,
              drain, now_ms - beat_time AS silent_ms
            FROM t_worker
            """
                    + which))
        .params(params)
        .query(
            (rs, row) -> {
              JsonNode description = JSON.readTree(rs.getString("description"));
              boolean lost = rs.getLong("silent_ms") > lostAfter.toMillis();
              boolean paused = isPaused.test(rs.getString("worker_id"));
              String state =
                  WorkerView.hasStopped(description)
                      ? "stopped"
                      : lost
                          ? "lost"
                          : rs.getBoolean("drain") ? "draining" : paused ? "paused" : "alive";
              return new WorkerView(
                  rs.getString("worker_id"),
                  rs.getString("host"),
                  rs.getString("sdk_version"),
                  state,
                  rs.getInt("held_tasks"),
                  description,
                  List.of(),
                  rs.getLong("first_time"),
                  rs.getLong("beat_time"));
            });
  }

  /** Deletes a page of workers that have been silent for this long; returns their number. */
  int deleteSilent(Duration silence, int limit) {
    return jdbc.sql(
            sql(
                """
            DELETE FROM t_worker
            WHERE beat_time < now_ms - :silence
            ORDER BY beat_time
            LIMIT :limit
            """))
        .param("silence", silence.toMillis())
        .param("limit", limit)
        .update();
  }

  /** Deletes the longest silent workers beyond this number; returns how many were deleted. */
  int deleteBeyond(int limit) {
    int count = jdbc.sql("SELECT COUNT(*) FROM t_worker").query(Integer.class).single();
    if (count <= limit) {
      return 0;
    }
    List<String> oldest =
        jdbc.sql("SELECT worker_id FROM t_worker ORDER BY beat_time LIMIT :beyond")
            .param("beyond", count - limit)
            .query(String.class)
            .list();
    List<String> sorted = oldest.stream().sorted().toList(); // as every server does
    int deleted = 0;
    for (List<String> group : StatementGroups.of(sorted, PAGE)) {
      deleted +=
          jdbc.sql("DELETE FROM t_worker WHERE worker_id IN (:workers) ORDER BY worker_id")
              .param("workers", group)
              .update();
    }
    return deleted;
  }
}
