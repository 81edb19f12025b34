package io.asyncflow.flowsvr.queue.worker;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
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

  /**
   * What is written of a worker.
   *
   * @param startId the start of it that was heard of last
   */
  private record Written(String startId, Set<Served> stages) {

    /** Whether a beat is not of an earlier start, as one that another server writes late may be. */
    boolean isOfStart(WorkerBeat beat) {
      return beat.startId().isEmpty() || beat.startId().equals(startId);
    }
  }

  /**
   * Writes what has changed of the stages that these beats name: usually nothing. Their workers'
   * rows have been written.
   */
  void write(List<WorkerBeat> beats) {
    if (beats.isEmpty()) {
      return;
    }
    Map<String, Written> written = read(beats.stream().map(WorkerBeat::workerId).toList());
    List<Object[]> added = new ArrayList<>();
    List<Object[]> removed = new ArrayList<>();
    for (WorkerBeat beat : beats) {
      Written before = written.get(beat.workerId());
      if (before != null && before.isOfStart(beat)) {
        added.addAll(rows(beat.workerId(), beat.stages(), before.stages()));
        removed.addAll(rows(beat.workerId(), before.stages(), beat.stages()));
      }
    }
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

  private Map<String, Written> read(List<String> workers) {
    Map<String, Written> read = new HashMap<>();
    for (List<String> group : StatementGroups.of(workers, PAGE)) {
      jdbc.sql(
              """
              SELECT w.worker_id, w.start_id, s.task_type, s.task_stage
              FROM t_worker w
              LEFT JOIN t_worker_stage s ON s.worker_id = w.worker_id
              WHERE w.worker_id IN (:workers)
              """)
          .param("workers", group)
          .query(
              rs -> {
                String startId = rs.getString("start_id");
                Written written =
                    read.computeIfAbsent(
                        rs.getString("worker_id"), id -> new Written(startId, new HashSet<>()));
                if (rs.getString("task_type") != null) {
                  TaskType type = new TaskType(rs.getString("task_type"));
                  written.stages().add(new Served(type, rs.getString("task_stage")));
                }
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
