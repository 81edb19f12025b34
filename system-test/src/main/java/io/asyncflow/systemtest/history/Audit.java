package io.asyncflow.systemtest.history;

import io.asyncflow.api.JobState;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
    for (String table : tables(database, taskType)) {
      int number = Integer.parseInt(table.substring(table.lastIndexOf('_') + 1));
      rows.addAll(rows(database, table, number));
    }
    return new Audit(rows, jobs(database, taskType), position);
  }

  /** Reads the position alone; 0 and 0 if the type was never used. */
  public static Position position(Connection database, String taskType) throws SQLException {
    try (PreparedStatement statement = database.prepareStatement(POSITION)) {
      statement.setString(1, taskType);
      try (ResultSet position = statement.executeQuery()) {
        return position.next()
            ? new Position(position.getInt(1), position.getInt(2))
            : new Position(0, 0);
      }
    }
  }

  /** Reads the jobs of a type alone. */
  public static List<Job> jobs(Connection database, String taskType) throws SQLException {
    List<Job> jobs = new ArrayList<>();
    try (PreparedStatement statement = database.prepareStatement(JOBS)) {
      statement.setString(1, taskType);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          jobs.add(
              new Job(
                  row.getString("id"),
                  row.getString("user_id"),
                  JobState.valueOf(row.getString("state")),
                  row.getObject("total", Integer.class),
                  row.getInt("released"),
                  row.getInt("done"),
                  row.getInt("failed"),
                  row.getInt("cancelled"),
                  row.getString("result")));
        }
      }
    }
    return jobs;
  }

  private static List<String> tables(Connection database, String taskType) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (PreparedStatement statement = database.prepareStatement(TABLES)) {
      statement.setString(1, "t\\_" + taskType.replace("_", "\\_") + "\\_task\\_%");
      try (ResultSet names = statement.executeQuery()) {
        while (names.next()) {
          tables.add(names.getString(1));
        }
      }
    }
    return tables;
  }

  private static List<Row> rows(Connection database, String table, int number) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement statement = database.prepareStatement(ROWS.formatted(table));
        ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        long id = result.getLong("id");
        rows.add(
            new Row(
                id + table.substring(1),
                id,
                number,
                result.getString("user_id"),
                result.getString("task_stage"),
                result.getInt("status"),
                result.getInt("crt_retry_num"),
                result.getInt("lease_epoch"),
                result.getString("task_context"),
                result.getString("result"),
                result.getString("job_id"),
                result.getObject("job_index", Integer.class)));
      }
    }
    return rows;
  }
}
