package io.asyncflow.flowsvr.base.system.migration;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.stereotype.Component;

/**
 * Waits for the database at start, up to a limit, and migrates it.
 *
 * <p>Uses no pooled connections: their statements time out after seconds, and the pool would report
 * a wrong password only as a time-out.
 */
@Component
class Migration implements FlywayMigrationStrategy {

  private static final Logger log = LoggerFactory.getLogger(Migration.class);
  private static final Duration PAUSE = Duration.ofMillis(500);

  /**
   * The exit code after SIGTERM. A waiting start needs no clean-up, and a migration can be cut off
   * anywhere ({@link ResumableMigrations}), but Spring's shutdown hook would wait until the start
   * is over.
   */
  private static final int TERMINATED = 143;

  private final DirectDatabase database;
  private final Node node;
  private final Duration patience;

  Migration(
      DirectDatabase database,
      Node node,
      @Value("${flow.database-patience:30s}") Duration patience) {
    this.database = database;
    this.node = node;
    this.patience = patience;
  }

  @Override
  public void migrate(Flyway flyway) {
    Thread end = new Thread(() -> Runtime.getRuntime().halt(TERMINATED), "end-of-the-wait");
    Runtime.getRuntime().addShutdownHook(end);
    try {
      awaitConnection();
      migrateDirectly(flyway);
    } finally {
      forget(end);
    }
  }

  private void migrateDirectly(Flyway flyway) {
    ResumableMigrations resumable = new ResumableMigrations();
    DataSource yielding =
        new ScriptDatabase(database.withTimeout(YieldingDdl.LONGEST_STATEMENT), new YieldingDdl());
    Flyway direct =
        Flyway.configure()
            .configuration(flyway.getConfiguration())
            .dataSource(new ScriptDatabase(yielding, resumable))
            .initSql(YieldingDdl.GIVE_UP_SOON)
            .callbacks(resumable)
            .load();
    try (Connection alone = database.withTimeout(YieldingDdl.LONGEST_STATEMENT).getConnection();
        Statement lock = alone.createStatement()) {
      if (DirectDatabase.isGalera(alone)) { // where Flyway takes no lock
        lock.execute(
            "SELECT GET_LOCK(CONCAT('flow.', SHA1(DATABASE())), "
                + YieldingDdl.LONGEST_STATEMENT.toSeconds()
                + ")");
      }
      direct.migrate();
    } catch (FlywayValidateException e) {
      throw SchemaMismatchException.of(database.place(), direct, e);
    } catch (SQLException e) {
      throw new CannotGetJdbcConnectionException("no connection to migrate", e);
    }
  }

  private static void forget(Thread end) {
    try {
      Runtime.getRuntime().removeShutdownHook(end);
    } catch (IllegalStateException e) {
      // the shutdown has begun, so this process ends
    }
  }

  private void awaitConnection() {
    log.info("waiting up to {} s for the database at {}", patience.toSeconds(), database.place());
    long end = node.nanoTime() + patience.toNanos();
    while (true) {
      Duration remaining = Duration.ofNanos(end - node.nanoTime());
      try (Connection connection = database.first(remaining)) {
        return;
      } catch (SQLException e) {
        if (!mayPass(e) || remaining.compareTo(PAUSE) < 0) {
          throw new CannotGetJdbcConnectionException("no first connection", e);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /**
   * Whether the failure may pass: no listener yet, or too many connections, but not a wrong
   * password.
   */
  private static boolean mayPass(SQLException failure) {
    return "08S01".equals(failure.getSQLState()) || "08004".equals(failure.getSQLState());
  }
}
