package io.asyncflow.systemtest.fault.server;

import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;

/**
 * The row of the election.
 *
 * @param vacant whether its lease is over
 */
record Term(String leader, long number, boolean vacant) {

  /** The lease of a term, a round of the election, and what a machine may take for it. */
  static final Duration TAKEOVER = Duration.ofSeconds(15);

  static Term read(Cluster cluster) {
    String sql =
        """
        SELECT leader, term,
               lease_end <= CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
        FROM t_leader
        WHERE role = 'governance'
        """;
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return new Term(row.getString(1), row.getLong(2), row.getBoolean(3));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static Term awaitOneThatLives(Cluster cluster) {
    return await()
        .atMost(TAKEOVER.multipliedBy(3))
        .until(() -> read(cluster), term -> !term.vacant());
  }

  Term awaitNext(Cluster cluster) {
    return await()
        .atMost(TAKEOVER.multipliedBy(3))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> read(cluster), term -> term.number() > number);
  }

  /** The one of the servers whose term it is. */
  ServerNode server(Collection<ServerNode> servers) {
    String said = "leads governance from now on, term " + number + System.lineSeparator();
    return await()
        .until(
            () -> servers.stream().filter(server -> server.hasPrinted(said)).toList(),
            those -> those.size() == 1)
        .get(0);
  }
}
