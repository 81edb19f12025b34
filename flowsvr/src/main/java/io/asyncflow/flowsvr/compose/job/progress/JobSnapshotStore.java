package io.asyncflow.flowsvr.compose.job.progress;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskTable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads the snapshots of many watched jobs at once. */
@Component
class JobSnapshotStore {

  /** Executing tasks are few: only those that workers hold. */
  private static final TableSql RUNNING =
      new TableSql(
          """
          SELECT job_id, COUNT(*) AS running, SUM(COALESCE(progress, 0)) AS percent
          FROM %s FORCE INDEX (idx_claim)
          WHERE status = 2
            AND job_id IN (:jobs)
            AND job_index >= 0
          GROUP BY job_id
          """);

  private final JdbcClient jdbc;
  private final JobStore jobs;
  private final TaskFamilies families;

  JobSnapshotStore(JdbcClient jdbc, JobStore jobs, TaskFamilies families) {
    this.jdbc = jdbc;
    this.jobs = jobs;
    this.families = families;
  }

  private record Running(int count, long percent) {

    static final Running NONE = new Running(0, 0);

    Running plus(Running other) {
      return new Running(count + other.count, percent + other.percent);
    }
  }

  /**
   * The snapshots of the existing jobs: one statement for all rows, and one for each table of
   * running children.
   */
  Map<Long, JobSnapshot> read(Collection<Long> ids) {
    List<JobRow> rows = jobs.find(ids);
    Set<TaskTable> tables =
        rows.stream()
            .filter(job -> !job.state().isFinal() && job.released() > 0)
            .flatMap(job -> families.find(job.childType(), RECENT).stream())
            .map(TaskFamily::live)
            .flatMap(Collection::stream)
            .collect(Collectors.toSet());
    Map<Long, Running> running = new HashMap<>();
    for (TaskTable table : tables) {
      jdbc.sql(RUNNING.of(table))
          .param("jobs", ids)
          .query(
              rs -> {
                Running inTable = new Running(rs.getInt("running"), rs.getLong("percent"));
                running.merge(rs.getLong("job_id"), inTable, Running::plus);
              });
    }
    Map<Long, JobSnapshot> snapshots = new HashMap<>();
    for (JobRow job : rows) {
      Running counts = running.getOrDefault(job.id(), Running.NONE);
      snapshots.put(job.id(), JobSnapshot.of(job, counts.count(), counts.percent()));
    }
    return snapshots;
  }
}
