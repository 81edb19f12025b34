package io.asyncflow.dev.embedded;

import com.mysql.cj.jdbc.Driver;
import io.asyncflow.dev.UsageException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The address and the login of a database.
 *
 * @param product the display name of product and version, such as {@code MariaDB 11.4.5 (embedded)}
 * @param hosts each with its TCP port, as {@code 127.0.0.1:3306}; several for a cluster
 * @param user the user, who has all privileges
 * @param password the password; empty where the user has none, never null
 */
public record DatabaseEndpoint(String product, List<String> hosts, String user, String password) {

  private static final Pattern URL = Pattern.compile("(?:jdbc:)?mysql://([^/?#]+)\\S*");
  private static final int DEFAULT_PORT = 3306;
  private static final String MAKING_THE_SCHEMA = "&createDatabaseIfNotExist=true";

  /** Makes the endpoint of one host. */
  public DatabaseEndpoint(String product, String host, int port, String user, String password) {
    this(product, List.of(host + ":" + port), user, password);
  }

  /**
   * Makes the endpoint of a user's own database. Hosts and ports are taken from the URL; schema and
   * options are those of this class.
   *
   * @param url as {@code jdbc:mysql://one:3306,two:3306}
   * @param environment has user (root by default) and password in FLOW_MYSQL_USER and
   *     FLOW_MYSQL_PASSWORD
   * @throws UsageException if it is no such URL
   */
  public static DatabaseEndpoint given(String url, Map<String, String> environment) {
    Matcher address = URL.matcher(url);
    try {
      if (address.matches()) {
        return new DatabaseEndpoint(
            "given",
            Stream.of(address.group(1).split(",", -1)).map(DatabaseEndpoint::host).toList(),
            environment.getOrDefault("FLOW_MYSQL_USER", "root"),
            environment.getOrDefault("FLOW_MYSQL_PASSWORD", ""));
      }
    } catch (IllegalArgumentException e) {
      // said below
    }
    throw new UsageException(
        "--mysql wants a URL as jdbc:mysql://127.0.0.1:3306, not " + url + ".");
  }

  private static String host(String text) {
    URI host = URI.create("mysql://" + text);
    if (host.getHost() == null || host.getUserInfo() != null) {
      throw new IllegalArgumentException(text);
    }
    return host.getHost() + ":" + (host.getPort() < 0 ? DEFAULT_PORT : host.getPort());
  }

  /** The first host without its port. */
  public String host() {
    return URI.create("mysql://" + hosts.get(0)).getHost();
  }

  /** The TCP port of the first host. */
  public int port() {
    return URI.create("mysql://" + hosts.get(0)).getPort();
  }

  /**
   * The connection URL of one schema for Connector/J, on MySQL and on MariaDB.
   *
   * <p>{@code useInformationSchema=false} is needed because MariaDB lacks a column that Connector/J
   * would read; the time zone options make every session use UTC.
   *
   * @param schema the database's name; a single host creates it on the first connection if it does
   *     not exist
   * @return a JDBC URL without user and password
   */
  public String jdbcUrl(String schema) {
    return hosts.size() == 1
        ? url(hosts.get(0), schema) + MAKING_THE_SCHEMA
        : url(String.join(",", hosts), schema);
  }

  /** The connection URL of one schema, which exists, at each of the hosts. */
  public List<String> urls(String schema) {
    return hosts.stream().map(host -> url(host, schema)).toList();
  }

  private static String url(String host, String schema) {
    return "jdbc:mysql://"
        + host
        + "/"
        + schema
        + "?useInformationSchema=false"
        + "&connectionTimeZone=UTC"
        + "&forceConnectionTimeZoneToSession=true"
        + "&rewriteBatchedStatements=true"
        + "&allowPublicKeyRetrieval=true"
        + "&sslMode=DISABLED";
  }

  /**
   * Connects to one schema, at the first host that takes writes. Not through {@code DriverManager},
   * which would start every driver on the class path, Testcontainers among them.
   *
   * @param schema the database's name; it is created if it does not exist
   * @return a connection in auto-commit mode, which the caller must close
   * @throws SQLException if the database does not answer or refuses the login
   */
  public Connection connect(String schema) throws SQLException {
    return connect(schema, new Properties());
  }

  /**
   * The same with settings of the driver.
   *
   * @param settings user and password are added
   */
  public Connection connect(String schema, Properties settings) throws SQLException {
    settings.setProperty("user", user);
    settings.setProperty("password", password);
    SQLException reason = null;
    for (String url : urls(schema)) {
      try {
        return new Driver().connect(url + MAKING_THE_SCHEMA, settings); // a reader does not make it
      } catch (SQLException e) {
        reason = e;
      }
    }
    throw reason;
  }

  /** Drops a schema, if it exists. */
  public void drop(String schema) throws SQLException {
    try (Connection connection = connect(schema);
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE " + schema);
    }
  }

  /** Does not contain the password. */
  @Override
  public String toString() {
    return product + " at " + String.join(",", hosts) + ", user " + user;
  }
}
