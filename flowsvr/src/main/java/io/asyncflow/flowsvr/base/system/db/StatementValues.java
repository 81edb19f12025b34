package io.asyncflow.flowsvr.base.system.db;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.springframework.jdbc.core.PreparedStatementSetter;

/**
 * The values of a statement with many parameters, each of which may be {@code null}.
 *
 * <p>Without it {@code JdbcTemplate} asks the driver for the type of each {@code null}, and
 * Connector/J throws an exception each time; hundreds of them would cost more than the statement
 * itself.
 *
 * @param values in the order of their question marks
 */
public record StatementValues(List<?> values) implements PreparedStatementSetter {

  @Override
  public void setValues(PreparedStatement statement) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      set(statement, i + 1, values.get(i));
    }
  }

  private static void set(PreparedStatement statement, int place, Object value)
      throws SQLException {
    if (value == null) {
      statement.setNull(place, Types.NULL);
    } else if (value instanceof String text) {
      statement.setString(place, text);
    } else if (value instanceof Long number) {
      statement.setLong(place, number);
    } else if (value instanceof Integer number) {
      statement.setInt(place, number);
    } else {
      statement.setObject(place, value);
    }
  }
}
