package io.asyncflow.systemtest.history;

import static io.asyncflow.systemtest.history.Rows.select;

import io.asyncflow.api.JobState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of a type as they stand in the database when all is over. */
public record Audit(List<Row> rows, List<Job> jobs, Position position) {

  /**
   * One task.
   *
   * @param table number of its table
   * @param key its user id, which is the key it was created with
   * @param job that it is part of; {@code null} for a task of its own
   * @param jobIndex among the children from 0, or {@link #SPLIT} or {@link #MERGE}; {@code null}
   *     for a task of its own
   */
  public record Row(
      String task,
      long number,
      int table,
      String key,
      String stage,
      int status,
      int failures,
      int epoch,
      String context,
      String result,
      String job,
      Integer jobIndex) {

    /** The index of the task that splits a job. */
    public static final int SPLIT = -1;

    /** The index of the task that merges it. */
    public static final int MERGE = -2;

    static final int CANCELLED = 16;
    static final int FINAL = 4 | 8 | CANCELLED;

    public boolean isFinal() {
      return (status & FINAL) != 0;
    }
  }

  /**
   * One job.
   *
   * @param key its user id, which is the key it was created with
   * @param total {@code null} if it was never split
   * @param released children that became tasks
   */
  public record Job(
      String id,
      String key,
      JobState state,
      Integer total,
      int released,
      int done,
      int failed,
      int cancelled,
      String result) {}

  private static final String JOBS =
      """
      SELECT id, user_id, state, total, released, done, failed, cancelled, result
      FROM t_job
      WHERE job_type = ?
      """;

  private static final String POSITION =
      """
      SELECT schedule_begin_pos, schedule_end_pos
      FROM t_schedule_pos
      WHERE task_type = ?
      """;

  private static final String TABLES =
      """
      SELECT table_name
      FROM information_schema.tables
      WHERE table_schema = DATABASE()
        AND table_name LIKE ?
      """;

  private static final String ROWS =
      """
      SELECT id, user_id, task_stage, status, crt_retry_num, lease_epoch, task_context, result,
        job_id, job_index
      FROM %s
      """;

  /**
   * Which tables of a type are in use.
   *
   * @param begin the first that may hold unfinished tasks
   * @param end the one that new tasks go to
   */
  public record Position(int begin, int end) {}

  /** Reads every table that the type has, those behind begin too. */
  public static Audit read(Connection database, String taskType) throws SQLException {
    Position position = position(database, taskType);
    List<Row> rows = new ArrayList<>();
    String likeIts = "t\\_" + taskType.replace("_", "\\_") + "\\_task\\_%";
    for (String table : select(database, TABLES, row -> row.getString(1), likeIts)) {
      int number = Integer.parseInt(table.substring(table.lastIndexOf('_') + 1));
      rows.addAll(select(database, ROWS.formatted(table), row -> row(row, table, number)));
    }
    return new Audit(rows, jobs(database, taskType), position);
  }

  /** Reads the position alone; 0 and 0 if the type was never used. */
  public static Position position(Connection database, String taskType) throws SQLException {
    return select(database, POSITION, row -> new Position(row.getInt(1), row.getInt(2)), taskType)
        .stream()
        .findFirst()
        .orElse(new Position(0, 0));
  }

  /** Reads the jobs of a type alone. */
  public static List<Job> jobs(Connection database, String taskType) throws SQLException {
    return select(
        database,
        JOBS,
        row ->
            new Job(
                row.getString("id"),
                row.getString("user_id"),
                JobState.valueOf(row.getString("state")),
                row.getObject("total", Integer.class),
                row.getInt("released"),
                row.getInt("done"),
                row.getInt("failed"),
                row.getInt("cancelled"),
                row.getString("result")),
        taskType);
  }

  private static Row row(ResultSet row, String table, int number) throws SQLException {
    long id = row.getLong("id");
    return new Row(
        id + table.substring(1),
        id,
        number,
        row.getString("user_id"),
        row.getString("task_stage"),
        row.getInt("status"),
        row.getInt("crt_retry_num"),
        row.getInt("lease_epoch"),
        row.getString("task_context"),
        row.getString("result"),
        row.getString("job_id"),
        row.getObject("job_index", Integer.class));
  }
}
