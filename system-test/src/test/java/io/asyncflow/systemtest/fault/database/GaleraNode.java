package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.EmbeddedMariaDb;

/** One node of a {@link GaleraGroup}. */
final class GaleraNode extends GroupMember {

  private static final String SYNCED =
      "SELECT COUNT(*) = 2 FROM information_schema.global_status WHERE variable_name ="
          + " 'wsrep_cluster_status' AND variable_value = 'Primary' OR variable_name ="
          + " 'wsrep_local_state_comment' AND variable_value = 'Synced'";

  /** A query for how many statements clients have sent. */
  static final String QUESTIONS = status("Questions");

  GaleraNode(int number, EmbeddedMariaDb server) {
    super(number, server);
  }

  @Override
  long peers() {
    return value(SYNCED) == 1 ? value(status("wsrep_cluster_size")) : 0;
  }

  /** How many transactions clients have committed here; 0 if it cannot be asked. */
  long commits() {
    return value(status("wsrep_local_commits"));
  }

  long questions() {
    return value(QUESTIONS);
  }

  private static String status(String name) {
    return "SELECT variable_value FROM information_schema.global_status WHERE variable_name = '"
        + name
        + "'";
  }

  @Override
  void isolate() {
    execute("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'");
  }

  @Override
  void rejoin() {
    execute("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'");
  }
}
