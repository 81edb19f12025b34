package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * A database that others start and stop: one server, a Galera cluster or a MySQL group.
 *
 * @param endpoint its hosts and the login
 * @param schema of the servers
 */
public record GivenDatabase(DatabaseEndpoint endpoint, String schema) {

  /** How long a host may take to answer. */
  private static final int CONNECTED_MS = 2_000;

  private static final int ANSWERED_MS = 5_000;

  private static final String QUICK =
      "&connectTimeout=" + CONNECTED_MS + "&socketTimeout=" + ANSWERED_MS;

  /** How long a query may take, in milliseconds. */
  private static final int PATIENCE = 120_000;

  private static final String VARIABLES =
      "SHOW GLOBAL VARIABLES WHERE variable_name IN ('wsrep_on', 'group_replication_group_name')";

  /** A query for whether a node of Galera has all that its cluster has; 1 or 0. */
  public static final String SYNCED =
      "SELECT COUNT(*) = 2 FROM information_schema.global_status WHERE variable_name ="
          + " 'wsrep_cluster_status' AND variable_value = 'Primary' OR variable_name ="
          + " 'wsrep_local_state_comment' AND variable_value = 'Synced'";

  private static final String ONLINE =
      "SELECT COUNT(*) FROM performance_schema.replication_group_members"
          + " WHERE member_id = @@server_uuid AND member_state = 'ONLINE'";

  /** The servers' way into it. */
  public DatabaseAccess access() {
    return new DatabaseAccess(endpoint.jdbcUrl(schema), endpoint.user(), endpoint.password());
  }

  /** A connection to the first host that is well, which sees all that was committed anywhere. */
  public Connection connect() throws SQLException {
    SQLException reason = null;
    for (String url : endpoint.urls(schema)) {
      try {
        return connect(url);
      } catch (SQLException e) {
        reason = e;
      }
    }
    throw reason;
  }

  private Connection connect(String url) throws SQLException {
    Connection connection = at(url + QUICK);
    try (Statement statement = connection.createStatement()) {
      Map<String, String> variables = new HashMap<>();
      try (ResultSet rows = statement.executeQuery(VARIABLES)) {
        while (rows.next()) {
          variables.put(rows.getString(1), rows.getString(2));
        }
      }
      if ("ON".equals(variables.get("wsrep_on"))) {
        check(statement, SYNCED, "wsrep_sync_wait = 1");
      } else if (!variables.getOrDefault("group_replication_group_name", "").isEmpty()) {
        check(statement, ONLINE, "group_replication_consistency = 'BEFORE'");
      }
      connection.setNetworkTimeout(Runnable::run, PATIENCE);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private static void check(Statement statement, String membership, String causality)
      throws SQLException {
    try (ResultSet rows = statement.executeQuery(membership)) {
      if (!rows.next() || rows.getInt(1) != 1) {
        throw new SQLException("this server is not one of the cluster now");
      }
    }
    statement.execute("SET SESSION " + causality);
  }

  private Connection at(String url) throws SQLException {
    return new DatabaseAccess(url, endpoint.user(), endpoint.password()).connect();
  }

  /** Whether one of the hosts takes writes; makes the schema if there is none. */
  public boolean takesWrites() {
    Properties quick = new Properties();
    quick.setProperty("connectTimeout", String.valueOf(CONNECTED_MS));
    quick.setProperty("socketTimeout", String.valueOf(ANSWERED_MS));
    try (Connection connection = endpoint.connect(schema, quick)) {
      return true;
    } catch (SQLException e) {
      return false;
    }
  }
}
