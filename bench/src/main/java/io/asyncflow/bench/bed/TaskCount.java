package io.asyncflow.bench.bed;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Looks into a task table behind everybody's back, to check what a contender claims. */
final class TaskCount {

  private TaskCount() {}

  /** How many tasks of the table are in a state, by its code; reads the claim index alone. */
  static int of(DatabaseEndpoint database, String schema, String table, int status)
      throws SQLException {
    try (Connection connection = database.connect(schema)) {
      return of(connection, table, status);
    }
  }

  static int of(Connection connection, String table, int status) throws SQLException {
    String sql = "SELECT COUNT(*) FROM " + table + " FORCE INDEX (idx_claim) WHERE status = ?";
    try (PreparedStatement count = connection.prepareStatement(sql)) {
      count.setInt(1, status);
      try (ResultSet rows = count.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}
