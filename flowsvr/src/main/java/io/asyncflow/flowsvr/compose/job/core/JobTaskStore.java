package io.asyncflow.flowsvr.compose.job.core;

import io.asyncflow.api.JobChild;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.JobCounts;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code t_job_task}: the children of a job in their order; and which of their tasks are broken.
 *
 * <p>Every method is one statement in the caller's transaction, if there is one.
 */
@Component
public class JobTaskStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final TableSql BROKEN =
      new TableSql(
          """
          SELECT job_index
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id IN (:ids)
            AND status IN (8, 16)
            AND job_index IS NOT NULL
          ORDER BY job_index
          LIMIT :limit
          """);

  private static final TableSql COUNT =
      new TableSql(
          """
          SELECT COALESCE(SUM(status = 4), 0), COALESCE(SUM(status = 8), 0),
            :children - COUNT(*) + COALESCE(SUM(status = 16), 0)
          FROM %s FORCE INDEX (PRIMARY)
          WHERE id IN (:ids)
          """);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  JobTaskStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * A child that has become a task.
   *
   * @param index from 0
   */
  public record Child(int index, TaskId task) {

    /** A child of this type from a row with its columns. */
    static Child read(ResultSet rs, TaskType type) throws SQLException {
      TaskTable table = new TaskTable(type, rs.getInt("table_number"));
      return new Child(rs.getInt("idx"), new TaskId(rs.getLong("task_number"), table));
    }
  }

  /** Stages children; overwrites those of an earlier hold of the split. */
  public void stage(long jobId, int first, List<JobChild> children) {
    List<Object[]> rows = new ArrayList<>(children.size());
    for (int i = 0; i < children.size(); i++) {
      JobChild child = children.get(i);
      rows.add(
          new Object[] {
            jobId,
            first + i,
            child.taskStage(),
            child.taskContext(),
            child.priority(),
            child.workerIds() == null ? null : JSON.writeValueAsString(child.workerIds())
          });
    }
    batch.batchUpdate(
        """
        INSERT INTO t_job_task (job_id, idx, task_stage, task_context, priority, worker_ids)
        VALUES (?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE
          task_stage = VALUES(task_stage),
          task_context = VALUES(task_context),
          priority = VALUES(priority),
          worker_ids = VALUES(worker_ids)
        """,
        rows);
  }

  /** The staged children from this index on, in order. */
  public List<JobChild> staged(long jobId, int from, int limit) {
    return jdbc.sql(
            """
            SELECT task_stage, task_context, priority, worker_ids
            FROM t_job_task
            WHERE job_id = :job
              AND idx >= :from
              AND idx < :to
              AND task_number IS NULL
            ORDER BY idx
            """)
        .param("job", jobId)
        .param("from", from)
        .param("to", from + limit)
        .query(
            (rs, row) ->
                new JobChild(
                    rs.getString("task_stage"),
                    rs.getString("task_context"),
                    rs.getObject("priority", Integer.class),
                    workers(rs.getString("worker_ids"))))
        .list();
  }

  private static List<String> workers(String json) {
    return json == null ? null : List.of(JSON.readValue(json, String[].class));
  }

  /**
   * The lowest indices of those children that have failed or were cancelled.
   *
   * @param numbers of the children's tasks in this table
   */
  public List<Integer> broken(TaskTable table, List<Long> numbers, int limit) {
    return jdbc.sql(BROKEN.of(table))
        .param("ids", numbers)
        .param("limit", limit)
        .query(Integer.class)
        .list();
  }

  /**
   * Counts children whose tasks are in this table. One without a row never ends and counts as
   * cancelled.
   */
  public JobCounts counts(TaskTable table, List<Long> numbers) {
    return jdbc.sql(COUNT.of(table))
        .param("children", numbers.size())
        .param("ids", numbers)
        .query((rs, row) -> new JobCounts(rs.getInt(1), rs.getInt(2), rs.getInt(3)))
        .single();
  }

  /** The children that have become tasks, from this index on, in order. */
  public List<Child> tasks(long jobId, TaskType type, int from, int limit) {
    return jdbc.sql(
            """
            SELECT idx, task_number, table_number
            FROM t_job_task
            WHERE job_id = :job
              AND idx >= :from
              AND idx < :to
              AND task_number IS NOT NULL
            ORDER BY idx
            """)
        .param("job", jobId)
        .param("from", from)
        .param("to", from + limit)
        .query((rs, row) -> Child.read(rs, type))
        .list();
  }

  /**
   * Records the tasks of these children and removes their staged data, which the tasks now contain.
   */
  public void setTasks(long jobId, List<Child> children) {
    StringBuilder sql = new StringBuilder("UPDATE (\n");
    List<Object> values = new ArrayList<>(children.size() * 3 + 1);
    for (Child child : children) {
      sql.append(
          values.isEmpty()
              ? "SELECT ? AS idx, ? AS task_number, ? AS table_number\n"
              : "UNION ALL SELECT ?, ?, ?\n");
      values.add(child.index());
      values.add(child.task().number());
      values.add(child.task().table().number());
    }
    values.add(jobId);
    sql.append(
        """
        ) v
        STRAIGHT_JOIN t_job_task t FORCE INDEX (PRIMARY) ON t.job_id = ? AND t.idx = v.idx
        SET t.task_number = v.task_number,
            t.table_number = v.table_number,
            t.task_context = NULL,
            t.worker_ids = NULL
        """);
    batch.update(sql.toString(), new StatementValues(values));
  }
}
