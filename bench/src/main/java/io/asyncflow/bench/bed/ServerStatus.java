package io.asyncflow.bench.bed;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** What the database counts about itself. */
public final class ServerStatus {

  private ServerStatus() {}

  /**
   * The value of one of its global counters at the moment.
   *
   * @param name as {@code Questions}; the question is a statement, too
   */
  public static long of(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + name + "'")) {
      row.next();
      return row.getLong(2);
    }
  }

  /** All rows that were ever inserted or updated; MariaDB has no global counter of them. */
  public static long rowsWritten(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT SUM(count) FROM information_schema.innodb_metrics"
                    + " WHERE name IN ('dml_inserts', 'dml_updates')")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** The statements a second that all clients send meanwhile, but for the question itself. */
  public static double statementsPerSecond(Connection connection, int seconds)
      throws SQLException, InterruptedException {
    long before = of(connection, "Questions");
    long begin = System.nanoTime();
    TimeUnit.SECONDS.sleep(seconds);
    long questions = of(connection, "Questions") - before - 1;
    return questions / ((System.nanoTime() - begin) / 1e9);
  }
}
