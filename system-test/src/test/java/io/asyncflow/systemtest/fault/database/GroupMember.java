package io.asyncflow.systemtest.fault.database;

import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.EmbeddedDatabase;
import io.asyncflow.systemtest.cluster.DatabaseAccess;
import io.asyncflow.systemtest.cluster.GivenDatabase;
import io.asyncflow.systemtest.cluster.Signals;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** One machine of a {@link DatabaseGroup}. */
abstract class GroupMember {

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** How long it may take to answer a question, in milliseconds. */
  private static final int QUICK = 5_000;

  private final int number;
  private final EmbeddedDatabase server;

  /**
   * @param number counted from 1
   */
  GroupMember(int number, EmbeddedDatabase server) {
    this.number = number;
    this.server = server;
  }

  /** How many machines it knows as being up to date; 0 if it cannot be asked. */
  abstract long peers();

  /** Cuts it off from the others, not from its clients. */
  abstract void isolate();

  /** Ends that. */
  abstract void rejoin();

  /** Makes it one of the others, after its start. */
  void join() {}

  final int number() {
    return number;
  }

  final EmbeddedDatabase server() {
    return server;
  }

  final String address() {
    return server.endpoint().hosts().get(0);
  }

  /** SIGKILL. */
  final void kill() {
    server.kill();
  }

  /** SIGSTOP. */
  final void pause() {
    Signals.stop(server.pid());
  }

  /** SIGCONT. */
  final void resume() {
    Signals.resume(server.pid());
  }

  /** Starts it again after its end. */
  final void bringBack() {
    server.restart();
    join();
  }

  /** It alone, whose connections see all that was committed anywhere. */
  final GivenDatabase given() {
    return new GivenDatabase(server.endpoint(), DatabaseGroup.SCHEMA);
  }

  /** A connection that sees what has arrived here, as those of servers. */
  final Connection connectAlone(String schema) throws SQLException {
    return connect(schema, PATIENCE.toMillis());
  }

  private Connection connect(long millis) throws SQLException {
    return connect("", millis);
  }

  private Connection connect(String schema, long millis) throws SQLException {
    return new DatabaseAccess(
            server.endpoint().urls(schema).get(0) + "&connectTimeout=2000&socketTimeout=" + millis,
            server.endpoint().user(),
            server.endpoint().password())
        .connect();
  }

  final long value(String query) {
    if (!server.isRunning()) {
      return 0;
    }
    try (Connection connection = connect(QUICK);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next() ? rows.getLong(1) : 0;
    } catch (SQLException e) {
      return 0; // it is stopped, or busy changing its role
    }
  }

  final void execute(String... statements) {
    try (Connection connection = connect(PATIENCE.toMillis());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("member " + number + " of the group refuses", e);
    }
  }

  /** Returns when it knows so many machines that are up to date. */
  final void awaitPeers(int count) {
    await("member " + number + " knows " + count).atMost(PATIENCE).until(() -> peers() == count);
  }
}
