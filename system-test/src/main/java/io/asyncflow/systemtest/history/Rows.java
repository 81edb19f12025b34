package io.asyncflow.systemtest.history;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads rows of the database. */
final class Rows {

  private Rows() {}

  /** Makes one thing of the row that it is at. */
  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  static <T> List<T> select(Connection database, String sql, Reader<T> reader, Object... parameters)
      throws SQLException {
    List<T> found = new ArrayList<>();
    try (PreparedStatement statement = database.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(reader.read(rows));
        }
      }
    }
    return found;
  }
}
