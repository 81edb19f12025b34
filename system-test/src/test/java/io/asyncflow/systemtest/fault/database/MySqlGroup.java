package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMySql;
import java.nio.file.Path;
import java.util.List;

/** Servers of MySQL 8.0.33 in group replication with one primary, the first one to begin with. */
final class MySqlGroup extends DatabaseGroup<MySqlMember> {

  private static final String NAME = "6f9c4a52-1a53-4d0c-9d5e-7d1f6a3c0b14";

  /** Of a hundred; the member with the most that is left becomes the primary. */
  private static final int FIRST_WEIGHT = 90;

  private MySqlGroup() {}

  /** Starts so many members. */
  static MySqlGroup of(Path directory, int size) {
    MySqlGroup group = new MySqlGroup();
    group.start(directory, size);
    return group;
  }

  @Override
  MySqlMember start(int number, Path directory, List<String> seats) {
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
            "--group-replication-group-name=" + NAME,
            "--group-replication-local-address=" + seats.get(number - 1),
            "--group-replication-group-seeds=" + String.join(",", seats),
            "--group-replication-start-on-boot=OFF",
            // Without TLS a password goes encrypted with a key of the other member.
            "--group-replication-recovery-get-public-key=ON",
            "--group-replication-member-weight=" + (FIRST_WEIGHT - 10 * number),
            // A new primary answers nobody before it has all that the old one has acknowledged.
            "--group-replication-consistency=BEFORE_ON_PRIMARY_FAILOVER");
    return new MySqlMember(number, EmbeddedMySql.start(directory, 0, Durability.RELAXED, options));
  }

  @Override
  void found(MySqlMember first) {
    first.found();
  }

  @Override
  List<MySqlMember> writers() {
    return members().stream().filter(MySqlMember::isPrimary).toList();
  }
}
