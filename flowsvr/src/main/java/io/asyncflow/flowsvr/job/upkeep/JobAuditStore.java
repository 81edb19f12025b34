package io.asyncflow.flowsvr.job.upkeep;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.job.core.JobCounts;
import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statements of {@link JobAudit}. */
@Component
class JobAuditStore {

  private static final TableSql STATUSES =
      new TableSql(
          """
          SELECT status, COUNT(*) AS n
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id IN (:ids)
          GROUP BY status
          """);

  private static final String ENDED_AFTER =
      sql(
          """
      SELECT id, end_time
      FROM t_job FORCE INDEX (idx_ended)
      WHERE job_type = ?
        AND end_time >= ?
        AND (end_time > ? OR id > ?)
        AND end_time <= now_ms - ?
      ORDER BY end_time, id
      LIMIT ?
      """);

  private final JdbcClient jdbc;

  JobAuditStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** A job that has ended, and when: where a page of such jobs goes on. */
  record Ended(long id, long endTime) {}

  /** The types that have jobs. */
  List<TaskType> jobTypes() {
    return jdbc.sql("SELECT DISTINCT job_type FROM t_job FORCE INDEX (idx_ended)")
        .query((rs, row) -> TaskType.parse(rs.getString("job_type")).orElseThrow())
        .list();
  }

  /**
   * Jobs that have not ended, with higher ids than {@code after}, and to which nothing has happened
   * for a while. One that is {@code STOPPING} is touched again and again while it cannot end.
   */
  List<Long> unfinished(long after, Duration quiet, int limit) {
    return jdbc.sql(
            sql(
                """
            SELECT id
            FROM t_job
            WHERE state IN ('SPLITTING', 'RUNNING', 'RETRYING', 'STOPPING', 'MERGING')
              AND id > :after
              AND (state = 'STOPPING' OR modify_time <= now_ms - :quiet)
            ORDER BY id
            LIMIT :limit
            """))
        .param("after", after)
        .param("quiet", quiet.toMillis())
        .param("limit", limit)
        .query(Long.class)
        .list();
  }

  /** Where to begin with the jobs that ended in the time before now. */
  Ended endedBefore(Duration age) {
    return jdbc.sql(sql("SELECT now_ms - :age"))
        .param("age", age.toMillis())
        .query((rs, row) -> new Ended(0, rs.getLong(1)))
        .single();
  }

  /**
   * Jobs of each type that ended after another one did, in that order, and a while ago; a statement
   * asks a {@link TableSql#groups group} of types.
   *
   * @param after of each type, the job that ended before
   * @param limit of each type
   */
  Map<TaskType, List<Ended>> endedAfter(Map<TaskType, Ended> after, Duration quiet, int limit) {
    Map<TaskType, List<Ended>> found = new HashMap<>();
    for (List<TaskType> types : TableSql.groups(List.copyOf(after.keySet()))) {
      List<String> parts = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (TaskType type : types) {
        Ended last = after.get(type);
        parts.add(
            "SELECT %d AS source, part.* FROM (\n%s) part\n".formatted(parts.size(), ENDED_AFTER));
        values.addAll(
            List.of(
                type.name(), last.endTime(), last.endTime(), last.id(), quiet.toMillis(), limit));
      }
      jdbc.sql(String.join("UNION ALL\n", parts))
          .params(values)
          .query(
              rs -> {
                found
                    .computeIfAbsent(types.get(rs.getInt("source")), type -> new ArrayList<>())
                    .add(new Ended(rs.getLong("id"), rs.getLong("end_time")));
              });
    }
    return found;
  }

  /** How many of these tasks have which status; those without a row are missing. */
  Map<TaskStatus, Integer> statuses(TaskTable table, List<Long> numbers) {
    Map<TaskStatus, Integer> counts = new EnumMap<>(TaskStatus.class);
    jdbc.sql(STATUSES.of(table))
        .param("ids", numbers)
        .query(
            rs -> {
              counts.put(TaskStatus.ofCode(rs.getInt("status")), rs.getInt("n"));
            });
    return counts;
  }

  /** Whether the job is as it was read, and stays so until the transaction ends. */
  boolean lockIfUnchanged(JobRow job) {
    return jdbc.sql("SELECT id FROM t_job WHERE id = :id AND version = :version FOR UPDATE")
        .param("id", job.id())
        .param("version", job.version())
        .query(Long.class)
        .optional()
        .isPresent();
  }

  /** Writes what the rows of its children say; for a transaction that has locked the job. */
  void setCounts(long id, JobCounts counts) {
    jdbc.sql(
            """
            UPDATE t_job
            SET done = :done,
                failed = :failed,
                cancelled = :cancelled,
                version = version + 1
            WHERE id = :id
            """)
        .param("done", counts.done())
        .param("failed", counts.failed())
        .param("cancelled", counts.cancelled())
        .param("id", id)
        .update();
  }
}
