package io.asyncflow.bench.bed;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;

/**
 * A task type of the bench with many rows that nobody is in a hurry for.
 *
 * @param what they are, as the tables call them
 */
public record Backlog(String type, String what) {

  static final int ROWS_A_COMMIT = 100_000;
  private static final int WAITING = 1;
  private static final int DONE = 4;

  private static final String DIGITS =
      "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
          + " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL"
          + " SELECT 9)";

  /** Numbers from a parameter on, for the rows of a commit; no table need be read for them. */
  static final String NUMBERS =
      """
      (
        SELECT ? + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS n
        FROM digits a, digits b, digits c, digits e, digits f
      ) numbers
      """
          .replace("digits", DIGITS);

  private static final String INSERT =
      """
      INSERT INTO %s
        (id, user_id, task_stage, status, priority, order_time, create_time, modify_time,
         task_context, schedule_log)
      SELECT n, CONCAT('user-', MOD(n, ?)), ?, ?, 0, now_ms + ? + n, now_ms, now_ms, ?, ''
      FROM numbers
      WHERE n <= ?
      """
          .replace("now_ms", RawTable.NOW_MS)
          .replace("numbers", NUMBERS);

  /** A type without such rows. */
  public static Backlog none(TestBed bed, String type) throws SQLException {
    return fill(bed, type, "an empty table", WAITING, 0, 0);
  }

  /** Rows that are due, the last of them since a moment ago. */
  public static Backlog waiting(TestBed bed, String type, int rows) throws SQLException {
    return fill(bed, type, format(rows) + " waiting", WAITING, rows, -1000L - rows);
  }

  /** Rows that become due tomorrow. */
  public static Backlog delayed(TestBed bed, String type, int rows) throws SQLException {
    return fill(bed, type, format(rows) + " delayed", WAITING, rows, Duration.ofDays(1).toMillis());
  }

  /** Rows of tasks that are done. */
  public static Backlog done(TestBed bed, String type, int rows) throws SQLException {
    return fill(bed, type, format(rows) + " done", DONE, rows, -1000L - rows);
  }

  /**
   * @param dueMs ms from now in which row 0 becomes due; the others follow each a ms later
   */
  private static Backlog fill(
      TestBed bed, String type, String what, int status, int rows, long dueMs) throws SQLException {
    bed.addType(Workload.unrolledType(type));
    String sql = INSERT.formatted(TestBed.firstTableOf(type));
    try (Connection connection = bed.connect();
        PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int first = 1; first <= rows; first += ROWS_A_COMMIT) {
        insert.setInt(1, Workload.USERS);
        insert.setString(2, Workload.STAGE);
        insert.setInt(3, status);
        insert.setLong(4, dueMs);
        insert.setString(5, Workload.context(0));
        insert.setInt(6, first);
        insert.setInt(7, rows);
        insert.executeUpdate();
      }
    }
    return new Backlog(type, what);
  }

  private static String format(int rows) {
    return String.format(Locale.ROOT, "%,d", rows);
  }
}
