package io.asyncflow.flowsvr.system.db;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a migration change a table that running servers use.
 *
 * <p>A DDL statement waits for the transactions that use its table, and later statements on the
 * table queue behind it. Beside a long transaction, one waiting ALTER would stop all servers.
 * Therefore a statement that could not have its lock in {@code lock_wait_timeout}, which {@link
 * DirectDatabase#forMigrations} sets to a second, is repeated after a pause, until no transaction
 * is in its way.
 *
 * <pre>
 *   long transaction  |---------------------------------|
 *   ALTER                |waits| pause |waits| pause |waits, and runs
 *   calls of servers     |queue| run   |queue| run   |queue, and run
 * </pre>
 */
final class YieldingDdl implements ScriptDatabase.Interceptor {

  private static final Logger log = LoggerFactory.getLogger(YieldingDdl.class);

  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** Also of a lock for DDL. */
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  @Override
  public boolean execute(String sql, ScriptDatabase.Execution real) throws SQLException {
    boolean waits = false;
    while (true) {
      try {
        return real.run();
      } catch (SQLException e) {
        if (e.getErrorCode() != LOCK_WAIT_TIMEOUT || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (!waits) {
          log.warn(
              "the migration waits for a long transaction; information_schema.innodb_trx has it: {}",
              sql.strip().lines().findFirst().orElse(""));
          waits = true;
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }
}
