package io.asyncflow.systemtest.fault.database;

import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.systemtest.cluster.GivenDatabase;

/** One node of a {@link GaleraGroup}. */
final class GaleraNode extends GroupMember {

  /** A query for how many statements clients have sent. */
  static final String QUESTIONS = status("Questions");

  GaleraNode(int number, EmbeddedMariaDb server) {
    super(number, server);
  }

  @Override
  long peers() {
    return value(GivenDatabase.SYNCED) == 1 ? value(status("wsrep_cluster_size")) : 0;
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
