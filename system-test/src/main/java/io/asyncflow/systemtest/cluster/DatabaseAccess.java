package io.asyncflow.systemtest.cluster;

import com.mysql.cj.jdbc.Driver;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/**
 * How servers and tests get into a database.
 *
 * @param url JDBC URL of one schema, of one host or of several
 * @param user who may do everything
 * @param password empty for none
 */
public record DatabaseAccess(String url, String user, String password) {

  static DatabaseAccess to(DatabaseEndpoint endpoint, String schema) {
    return new DatabaseAccess(endpoint.jdbcUrl(schema), endpoint.user(), endpoint.password());
  }

  /** A connection of the caller's, in auto-commit mode. */
  public Connection connect() throws SQLException {
    Properties login = new Properties();
    login.setProperty("user", user);
    login.setProperty("password", password);
    // Not through DriverManager, which would start every driver on the class path.
    return new Driver().connect(url, login);
  }
}
