package io.asyncflow.flowsvr.base.system.migration;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets an interrupted migration run again.
 *
 * <p>The database cannot roll back DDL. A server killed in the middle of a file leaves its first
 * part, and Flyway, which records whole files, would fail with "table already exists" at every
 * later start. Therefore a migration is recorded before its first statement. When the same
 * migration begins again, errors about objects that already exist are ignored:
 *
 * <pre>
 *   V7 begins | CREATE a | CREATE b | killed
 *   V7 begins | a is there | b is there | CREATE c | V7 is done
 * </pre>
 *
 * <p>So each statement of a migration must be atomic, and either fail when repeated (a CREATE, an
 * ALTER, an INSERT with a key) or be idempotent.
 *
 * <p>Not thread-safe; Flyway uses one thread.
 */
final class ResumableMigrations implements Callback, ScriptDatabase.Interceptor {

  private static final Logger log = LoggerFactory.getLogger(ResumableMigrations.class);

  /** Created outside of migrations, because it must exist before the first one. */
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS t_migration_begun (
        version VARCHAR(50) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        checksum INT NOT NULL,
        PRIMARY KEY (version, checksum)
      ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
      """;

  // Committed by the first statement: DDL commits the open transaction implicitly, and other
  // statements commit together with it.
  private static final String BEGIN =
      "INSERT IGNORE INTO t_migration_begun (version, checksum) VALUES (?, ?)";

  private static final Set<Integer> THERE_ALREADY =
      Set.of(
          1050, // table
          1060, // column
          1061, // key
          1062, // row
          1068, // primary key
          1091 // the object to drop does not exist
          );

  private boolean resumed;

  @Override
  public String getCallbackName() {
    return "resumable-migrations";
  }

  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_EACH_MIGRATE || event == Event.AFTER_EACH_MIGRATE;
  }

  @Override
  public boolean canHandleInTransaction(Event event, Context context) {
    return true;
  }

  @Override
  public void handle(Event event, Context context) {
    if (event == Event.AFTER_EACH_MIGRATE) {
      resumed = false;
      return;
    }
    MigrationInfo migration = context.getMigrationInfo();
    try {
      resumed = !begins(context.getConnection(), migration);
    } catch (SQLException e) {
      throw new IllegalStateException("migration " + migration.getVersion() + " cannot begin", e);
    }
    if (resumed) {
      log.warn(
          "migration {} was interrupted; its finished statements are skipped",
          migration.getVersion());
    }
  }

  /**
   * Records the begin; {@code false} if the same migration, by version and checksum, began before.
   */
  private static boolean begins(Connection connection, MigrationInfo migration)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(TABLE);
    }
    try (PreparedStatement statement = connection.prepareStatement(BEGIN)) {
      statement.setString(1, migration.getVersion().getVersion());
      statement.setInt(2, migration.getChecksum());
      return statement.executeUpdate() == 1;
    }
  }

  /** Ignores the errors of statements that are repeated. */
  @Override
  public boolean execute(String sql, ScriptDatabase.Execution real) throws SQLException {
    try {
      return real.run();
    } catch (SQLException e) {
      if (resumed && isThereAlready(e)) {
        log.info("skipped: {}", e.getMessage());
        return false;
      }
      throw e;
    }
  }

  private static boolean isThereAlready(SQLException failure) {
    return THERE_ALREADY.contains(failure.getErrorCode());
  }
}
