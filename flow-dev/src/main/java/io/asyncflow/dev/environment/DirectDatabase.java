package io.asyncflow.dev.environment;

import com.mysql.cj.jdbc.Driver;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** The database of a server, reached without the server. */
final class DirectDatabase {
  /** An expression of SQL: the clock of the database, epoch ms. */
  static final String NOW_MS = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

  /** What statements need of their session, as those of the server. */
  private static final String SESSION =
      "sql_mode='STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',"
          + "sql_select_limit=18446744073709551615,sql_safe_updates=0,completion_type='NO_CHAIN'";

  private static final Set<Integer> NO_SUCH_TABLE_OR_DATABASE = Set.of(1146, 1049);
  private static final String URL = "FLOW_MYSQL_URL";
  private static final String USER = "FLOW_MYSQL_USER";
  private static final String PASSWORD = "FLOW_MYSQL_PASSWORD";

  private final String url;
  private final Properties login = new Properties();

  /**
   * @param environment as a server has it
   * @param user of the database, in messages
   * @throws UsageException if the environment names no database
   * @throws DevException if a file with a secret cannot be read
   */
  DirectDatabase(Map<String, String> environment, String user) {
    this.url = environment.getOrDefault(URL, "").strip();
    String name = environment.getOrDefault(USER, "").strip();
    if (url.isEmpty() || name.isEmpty()) {
      throw new UsageException(
          user + " needs the database: set " + URL + ", " + USER + " and " + PASSWORD + ".");
    }
    login.setProperty("user", name);
    login.setProperty("password", Secret.in(environment, PASSWORD));
    login.setProperty("useInformationSchema", "false");
    login.setProperty("connectionTimeZone", "UTC");
    login.setProperty("forceConnectionTimeZoneToSession", "true");
    login.setProperty("sessionVariables", SESSION);
    login.setProperty("connectTimeout", "5000");
    login.setProperty("socketTimeout", "10000");
  }

  /** A connection that commits nothing by itself. */
  Connection connect() throws SQLException {
    Connection database = new Driver().connect(url, login);
    if (database == null) {
      throw new UsageException(URL + " must be like jdbc:mysql://host:3306/asyncflow.");
    }
    database.setAutoCommit(false);
    return database;
  }

  /** Reads a row. */
  interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Returns what a statement finds. */
  static <T> List<T> query(Connection connection, Row<T> row, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      ResultSet rows = statement.executeQuery();
      List<T> found = new ArrayList<>();
      while (rows.next()) {
        found.add(row.read(rows));
      }
      return found;
    }
  }

  /** Returns the number that a statement finds. */
  static long number(Connection connection, String sql, Object... values) throws SQLException {
    return query(connection, row -> row.getLong(1), sql, values).get(0);
  }

  static void update(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      statement.executeUpdate();
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  /** What is wrong if a statement fails: as {@code noTable} says, or as {@code failed} does. */
  static DevException failure(SQLException e, String noTable, String failed) {
    return NO_SUCH_TABLE_OR_DATABASE.contains(e.getErrorCode())
        ? new DevException(noTable, e)
        : new DevException(failed + ": " + e.getMessage(), e);
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "DirectDatabase[]";
  }
}
