package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMySql;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * One server of a {@link MySqlGroup}.
 *
 * @param seat where the group speaks to it, host and port
 */
record MySqlMember(int number, String seat, EmbeddedMySql server) {

  private static final String GROUP = "6f9c4a52-1a53-4d0c-9d5e-7d1f6a3c0b14";

  /** Of a hundred; the member with the most that is left becomes the primary. */
  private static final int FIRST_WEIGHT = 90;

  /**
   * Starts a server that belongs to no group yet.
   *
   * @param number counted from 1; the lower one is preferred as primary
   */
  static MySqlMember start(int number, String seat, List<String> seats, Path directory) {
    List<String> options =
        List.of(
            "--server-id=" + number,
            "--log-bin=binlog",
            "--sync-binlog=0",
            "--gtid-mode=ON",
            "--enforce-gtid-consistency=ON",
            "--performance-schema=ON", // which tells who is in the group
            "--plugin-load-add=group_replication.so",
            "--report-host=127.0.0.1",
            "--group-replication-group-name=" + GROUP,
            "--group-replication-local-address=" + seat,
            "--group-replication-group-seeds=" + String.join(",", seats),
            "--group-replication-start-on-boot=OFF",
            // Without TLS a password goes encrypted with a key of the other member.
            "--group-replication-recovery-get-public-key=ON",
            "--group-replication-member-weight=" + (FIRST_WEIGHT - 10 * number),
            // A new primary answers nobody before it has all that the old one has acknowledged.
            "--group-replication-consistency=BEFORE_ON_PRIMARY_FAILOVER");
    return new MySqlMember(
        number, seat, EmbeddedMySql.start(directory, 0, Durability.RELAXED, options));
  }

  String address() {
    return server.endpoint().host() + ":" + server.endpoint().port();
  }

  void found() {
    execute(
        "SET GLOBAL group_replication_bootstrap_group = ON",
        "START GROUP_REPLICATION",
        "SET GLOBAL group_replication_bootstrap_group = OFF");
  }

  void join() {
    execute(
        "START GROUP_REPLICATION USER = 'root', PASSWORD = '%s'"
            .formatted(server.endpoint().password()));
  }

  /** Has the group make this member its primary, in good order. */
  void takeOver() {
    execute("DO group_replication_set_as_primary(@@server_uuid)");
  }

  /**
   * Whether it is the primary, as it sees the group itself; {@code false} if it cannot be asked.
   */
  boolean isPrimary() {
    return server.isRunning()
        && count("member_role = 'PRIMARY' AND member_id = @@server_uuid AND NOT @@super_read_only")
            == 1;
  }

  /** How many members are in the group and up to date. */
  int online() {
    return count("member_state = 'ONLINE'");
  }

  private int count(String condition) {
    String sql =
        "SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE " + condition;
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      return 0; // it is busy changing its role
    }
  }

  private void execute(String... statements) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("member " + number + " of the group refuses", e);
    }
  }

  private Connection connect() throws SQLException {
    return server.endpoint().connect("mysql");
  }
}
