package io.asyncflow.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Tasks created one by one by plain JDBC: one row, one commit, 32 connections. */
final class RawSingleCreates implements Contender<Duration> {

  private final RawTable table;

  RawSingleCreates(RawTable table) {
    this.table = table;
  }

  @Override
  public String name() {
    return "raw JDBC, one row a commit, " + FlowSingleCreates.CLIENTS + " connections";
  }

  @Override
  public Duration run(int tasks) throws Exception {
    int before = table.count(1);
    Duration took =
        Crowd.share(tasks, FlowSingleCreates.CLIENTS, () -> new CreateClient(table.connect()));
    int created = table.count(1) - before;
    if (created != tasks) {
      throw new IllegalStateException(created + " of " + tasks + " raw tasks were created");
    }
    return took;
  }

  private final class CreateClient implements Crowd.Client {
    private final Connection connection;

    CreateClient(Connection connection) throws SQLException {
      this.connection = connection;
      // A commit costs no round trip of its own.
      connection.setAutoCommit(true);
    }

    @Override
    public void act(int unit) throws SQLException {
      table.insert(connection, 1);
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
