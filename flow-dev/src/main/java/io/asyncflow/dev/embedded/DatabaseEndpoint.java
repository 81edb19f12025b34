package io.asyncflow.dev.embedded;

import com.mysql.cj.jdbc.Driver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/**
 * The address and the login of a database.
 *
 * @param product the display name of product and version, such as {@code MariaDB 11.4.5 (embedded)}
 * @param host the host, never null
 * @param port the TCP port
 * @param user the user, who has all privileges
 * @param password the password; empty where the user has none, never null
 */
public record DatabaseEndpoint(
    String product, String host, int port, String user, String password) {

  /**
   * The connection URL of one schema for Connector/J, on MySQL and on MariaDB.
   *
   * <p>{@code useInformationSchema=false} is needed because MariaDB lacks a column that Connector/J
   * would read; the time zone options make every session use UTC.
   *
   * @param schema the database's name; it is created on the first connection if it does not exist
   * @return a JDBC URL without user and password
   */
  public String jdbcUrl(String schema) {
    return "jdbc:mysql://"
        + host
        + ":"
        + port
        + "/"
        + schema
        + "?useInformationSchema=false"
        + "&connectionTimeZone=UTC"
        + "&forceConnectionTimeZoneToSession=true"
        + "&rewriteBatchedStatements=true"
        + "&createDatabaseIfNotExist=true"
        + "&allowPublicKeyRetrieval=true"
        + "&sslMode=DISABLED";
  }

  /**
   * Connects to one schema. Not through {@code DriverManager}, which would start every driver on
   * the class path, Testcontainers among them.
   *
   * @param schema the database's name; it is created if it does not exist
   * @return a connection in auto-commit mode, which the caller must close
   * @throws SQLException if the database does not answer or refuses the login
   */
  public Connection connect(String schema) throws SQLException {
    return connect(schema, new Properties());
  }

  Connection connect(String schema, Properties settings) throws SQLException {
    settings.setProperty("user", user);
    settings.setProperty("password", password);
    return new Driver().connect(jdbcUrl(schema), settings);
  }

  /** Does not contain the password. */
  @Override
  public String toString() {
    return product + " at " + host + ":" + port + ", user " + user;
  }
}
