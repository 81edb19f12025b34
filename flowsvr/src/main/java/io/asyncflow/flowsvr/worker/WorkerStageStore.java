package io.asyncflow.flowsvr.worker;

import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_worker_stage}: which stages each worker serves. A worker's rows are written after its
 * row in {@code t_worker}, and deleted after it.
 */
@Component
class WorkerStageStore {

  /** The limit of workers in one statement. */
  private static final int PAGE = 1_000;

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  WorkerStageStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /** A stage that a worker serves. */
  record Served(TaskType type, String stage) {}

  /** Writes what has changed of the stages of these workers: usually nothing. */
  void write(Map<String, Set<Served>> stages) {
    if (stages.isEmpty()) {
      return;
    }
    Map<String, Set<Served>> written = read(stages.keySet());
    List<Object[]> added = new ArrayList<>();
    List<Object[]> removed = new ArrayList<>();
    stages.forEach(
        (worker, served) -> {
          Set<Served> before = written.getOrDefault(worker, Set.of());
          added.addAll(rows(worker, served, before));
          removed.addAll(rows(worker, before, served));
        });
    if (!added.isEmpty()) {
      batch.batchUpdate(
          "INSERT IGNORE INTO t_worker_stage (worker_id, task_type, task_stage) VALUES (?, ?, ?)",
          added);
    }
    if (!removed.isEmpty()) {
      batch.batchUpdate(
          "DELETE FROM t_worker_stage WHERE worker_id = ? AND task_type = ? AND task_stage = ?",
          removed);
    }
  }

  private Map<String, Set<Served>> read(Set<String> workers) {
    Map<String, Set<Served>> read = new HashMap<>();
    List<String> all = List.copyOf(workers);
    for (int from = 0; from < all.size(); from += PAGE) {
      jdbc.sql(
              """
              SELECT worker_id, task_type, task_stage
              FROM t_worker_stage
              WHERE worker_id IN (:workers)
              """)
          .param("workers", all.subList(from, Math.min(from + PAGE, all.size())))
          .query(
              rs -> {
                TaskType type = new TaskType(rs.getString("task_type"));
                read.computeIfAbsent(rs.getString("worker_id"), worker -> new HashSet<>())
                    .add(new Served(type, rs.getString("task_stage")));
              });
    }
    return read;
  }

  private static List<Object[]> rows(String worker, Set<Served> served, Set<Served> except) {
    return served.stream()
        .filter(stage -> !except.contains(stage))
        .map(stage -> new Object[] {worker, stage.type().name(), stage.stage()})
        .toList();
  }

  /** Deletes the stages of a page of workers that were forgotten; returns their number. */
  int deleteOfForgotten(int limit) {
    List<String> forgotten =
        jdbc.sql(
                """
                SELECT DISTINCT s.worker_id
                FROM t_worker_stage s
                LEFT JOIN t_worker w ON w.worker_id = s.worker_id
                WHERE w.worker_id IS NULL
                LIMIT :limit
                """)
            .param("limit", limit)
            .query(String.class)
            .list();
    if (!forgotten.isEmpty()) {
      jdbc.sql("DELETE FROM t_worker_stage WHERE worker_id IN (:workers)")
          .param("workers", forgotten)
          .update();
    }
    return forgotten.size();
  }
}
