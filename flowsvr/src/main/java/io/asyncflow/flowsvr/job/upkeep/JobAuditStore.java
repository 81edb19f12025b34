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

  /** A job that has ended, and its end in epoch ms: the position of a page. */
  record Ended(long id, long endTime) {}

  /** The types that have jobs. */
  List<TaskType> jobTypes() {
    return jdbc.sql("SELECT DISTINCT job_type FROM t_job FORCE INDEX (idx_ended)")
        .query((rs, row) -> TaskType.parse(rs.getString("job_type")).orElseThrow())
        .list();
  }

  /**
   * Unfinished jobs with ids above {@code after} that have not changed for a while. {@code
   * STOPPING} jobs are included in any case, because their rows change repeatedly until they end.
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

  /** The position from which to read the jobs that ended within this age. */
  Ended endedBefore(Duration age) {
    return jdbc.sql(sql("SELECT now_ms - :age"))
        .param("age", age.toMillis())
        .query((rs, row) -> new Ended(0, rs.getLong(1)))
        .single();
  }

  /**
   * Jobs of each type that ended after the given job and a while ago, in the order of their ends;
   * one statement for each {@link TableSql#groups group} of types.
   *
   * @param after the last job of the previous page, by type
   * @param limit for each type
   */
  Map<TaskType, List<Ended>> endedAfter(Map<TaskType, Ended> after, Duration quiet, int limit) {
    Map<TaskType, List<Ended>> found = new HashMap<>();
    for (List<TaskType> types : TableSql.groups(List.copyOf(after.keySet()))) {
      List<String> parts = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (TaskType type : types) {
        Ended last = after.get(type);
        parts.add(
            "SELECT %s AS source, part.* FROM (\n%s) part\n".formatted(parts.size(), ENDED_AFTER));
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

  /** The numbers of these tasks by status; tasks without a row are not counted. */
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

  /** Locks the job's row if it is unchanged since it was read; false if it has changed. */
  boolean lockIfUnchanged(JobRow job) {
    return jdbc.sql("SELECT id FROM t_job WHERE id = :id AND version = :version FOR UPDATE")
        .param("id", job.id())
        .param("version", job.version())
        .query(Long.class)
        .optional()
        .isPresent();
  }

  /** Writes the counts of the children's rows; the transaction must have locked the job. */
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
