package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.EmbeddedMySql;

/** One server of a {@link MySqlGroup}. */
final class MySqlMember extends GroupMember {

  private static final String ME = "member_id = @@server_uuid AND member_state = 'ONLINE'";

  MySqlMember(int number, EmbeddedMySql server) {
    super(number, server);
  }

  @Override
  long peers() {
    return value(members("member_state = 'ONLINE'"));
  }

  /** Whether it is the primary, as it sees the group itself. */
  boolean isPrimary() {
    return value(members(ME + " AND member_role = 'PRIMARY' AND NOT @@super_read_only")) == 1;
  }

  private static String members(String condition) {
    return "SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE " + condition;
  }

  /** Makes it the group. */
  void found() {
    execute(
        "SET GLOBAL group_replication_bootstrap_group = ON",
        begin(),
        "SET GLOBAL group_replication_bootstrap_group = OFF");
  }

  /** Without the login it does not join again by itself. */
  private String begin() {
    return "START GROUP_REPLICATION USER = 'root', PASSWORD = '%s'"
        .formatted(server().endpoint().password());
  }

  @Override
  void join() {
    execute(begin());
  }

  /**
   * It leaves the group, which learns of it: only root can have the network between members lose
   * what they send, for they know each other by one port alone.
   */
  @Override
  void isolate() {
    execute("STOP GROUP_REPLICATION");
  }

  @Override
  void rejoin() {
    join();
  }

  /** It takes writes, though it may have left the group, as by an operator's mistake. */
  void takeWrites() {
    execute("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF");
  }

  /** Has the group make this member its primary, in good order. */
  void takeOver() {
    execute("DO group_replication_set_as_primary(@@server_uuid)");
  }
}
