package io.asyncflow.flowsvr.compose.job.upkeep;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Deletes from {@code t_job} and its dependent tables, in bounded parts. */
@Component
class JobRetentionStore {

  /** A retry sets {@code end_time} to null. */
  private static final String ENDED =
      sql(
          """
      SELECT id, end_time
      FROM t_job FORCE INDEX (idx_ended)
      WHERE job_type = ?
        AND (end_time > ? OR (end_time = ? AND id > ?))
        AND end_time <= now_ms - ?
      ORDER BY end_time, id
      LIMIT ?
      """);

  private static final String HAS_HAD_ITS_TIME =
      sql(
          """
      job_type = :type
        AND end_time <= now_ms - IF(idempotency_key IS NULL, :retention, :keyedRetention)
      """);

  private static final String NEEDS_NO_INPUT =
      sql(
          """
      input_kept = 1
        AND state = 'SUCCESS'
        AND end_time <= now_ms - :retention
      """);

  /**
   * How long the jobs of a type are kept after their end.
   *
   * @param keyed for jobs with an idempotency key; at least {@code unkeyed}
   */
  record Retention(Duration unkeyed, Duration keyed) {}

  /** A job that has ended, and its end in epoch ms. */
  record Ended(long id, long endTime) {

    static final Ended NONE = new Ended(0, 0);
  }

  /**
   * A part of the jobs of a type that have ended.
   *
   * @param after begins behind this job, in the order of their ends
   * @param age and ends with the last job that ended so long ago
   */
  record Span(TaskType type, Ended after, Duration age) {

    private List<Object> values(int limit) {
      return List.of(
          type.name(), after.endTime(), after.endTime(), after.id(), age.toMillis(), limit);
    }
  }

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  JobRetentionStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /** Jobs whose input is no longer needed, in the order of their ends. */
  List<Long> withNeedlessInput(Duration retention, int limit) {
    return jdbc.sql(
            "SELECT id\nFROM t_job FORCE INDEX (idx_input)\nWHERE "
                + NEEDS_NO_INPUT
                + "ORDER BY end_time\nLIMIT :limit")
        .param("retention", retention.toMillis())
        .param("limit", limit)
        .query(Long.class)
        .list();
  }

  /** Deletes the input of a job if it is still not needed; two statements of one transaction. */
  boolean deleteInput(long id, Duration retention) {
    int marked =
        jdbc.sql("UPDATE t_job\nSET input_kept = 0\nWHERE id = :id\n  AND " + NEEDS_NO_INPUT)
            .param("id", id)
            .param("retention", retention.toMillis())
            .update();
    return marked == 1 && deleteInputParts(id);
  }

  private boolean deleteInputParts(long id) {
    jdbc.sql("DELETE FROM t_job_input WHERE job_id = :id").param("id", id).update();
    return true;
  }

  /** The spans with jobs; one statement for each {@link TableSql#groups group}. */
  List<Span> withJobs(List<Span> spans) {
    List<Span> found = new ArrayList<>();
    for (List<Span> group : TableSql.groups(spans)) {
      List<String> parts = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (Span span : group) {
        parts.add("SELECT %s AS source FROM (\n%s) part\n".formatted(parts.size(), ENDED));
        values.addAll(span.values(1));
      }
      jdbc.sql(String.join("UNION ALL\n", parts))
          .params(values)
          .query(Integer.class)
          .list()
          .forEach(source -> found.add(group.get(source)));
    }
    return found;
  }

  /** The first jobs of a span, whether they have keys or not, in the order of their ends. */
  List<Ended> ended(Span span, int limit) {
    return jdbc.sql(ENDED)
        .params(span.values(limit))
        .query((rs, row) -> new Ended(rs.getLong("id"), rs.getLong("end_time")))
        .list();
  }

  /**
   * Deletes the rows of the jobs that are still due for deletion, and records them in {@code
   * t_job_gone} for the deletion of their dependent rows; three statements of one transaction.
   *
   * @return the number of deleted jobs
   */
  int delete(List<Long> ids, TaskType type, Retention retention) {
    List<Long> ended =
        jdbc.sql(
                "SELECT id\nFROM t_job FORCE INDEX (PRIMARY)\nWHERE id IN (:ids)\n  AND "
                    + HAS_HAD_ITS_TIME
                    + "ORDER BY id\nFOR UPDATE")
            .param("ids", ids)
            .param("type", type.name())
            .param("retention", retention.unkeyed().toMillis())
            .param("keyedRetention", retention.keyed().toMillis())
            .query(Long.class)
            .list();
    if (ended.isEmpty()) {
      return 0;
    }
    batch.batchUpdate(
        "INSERT INTO t_job_gone (job_id) VALUES (?)",
        ended.stream().map(id -> new Object[] {id}).toList());
    return jdbc.sql("DELETE FROM t_job WHERE id IN (:ids)").param("ids", ended).update();
  }

  /** A deleted job that still has dependent rows. */
  Optional<Long> anyDeleted() {
    return jdbc.sql("SELECT job_id FROM t_job_gone LIMIT 1").query(Long.class).optional();
  }

  /**
   * Deletes a page of a deleted job's dependent rows: children first, and with the last page the
   * rest.
   *
   * @return whether nothing is left
   */
  boolean clear(long id, int page) {
    int children =
        jdbc.sql("DELETE FROM t_job_task WHERE job_id = :id ORDER BY idx LIMIT :page")
            .param("id", id)
            .param("page", page)
            .update();
    if (children == page) {
      return false;
    }
    deleteInputParts(id);
    jdbc.sql("DELETE FROM t_job_worker WHERE job_id = :id").param("id", id).update();
    jdbc.sql("DELETE FROM t_job_gone WHERE job_id = :id").param("id", id).update();
    return true;
  }
}
