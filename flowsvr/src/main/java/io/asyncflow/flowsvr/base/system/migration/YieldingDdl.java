package io.asyncflow.flowsvr.base.system.migration;

import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Lets a migration, or what follows one, change a table that running servers use.
 *
 * <p>A DDL statement waits for the transactions that use its table, and later statements on the
 * table queue behind it. Beside a long transaction, one waiting ALTER would stop all servers.
 * Therefore a statement that could not have its table in a second ({@link #GIVE_UP_SOON}) is
 * repeated after a pause, until no transaction is in its way.
 *
 * <pre>
 *   long transaction  |---------------------------------|
 *   ALTER                |waits| pause |waits| pause |waits, and runs
 *   calls of servers     |queue| run   |queue| run   |queue, and run
 * </pre>
 */
public final class YieldingDdl implements ScriptDatabase.Interceptor {

  static final Duration LONGEST_STATEMENT = Duration.ofHours(1);

  /** For the connections of migrations. Locks of rows have a limit of their own. */
  static final String GIVE_UP_SOON = "SET SESSION lock_wait_timeout = 1";

  private static final Logger log = LoggerFactory.getLogger(YieldingDdl.class);

  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** So that the log says about once a minute what the start waits for. */
  private static final int ATTEMPTS_A_LINE = 20;

  /** Of a table's lock, and also of a row's, which DDL does not wait for. */
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  private static final Pattern DDL =
      Pattern.compile("^(\\s|--[^\\n]*\\n)*(ALTER|CREATE|DROP)\\b.*", Pattern.DOTALL);

  /** Does work on a connection of its own, whose DDL gives way if it is not prepared. */
  public static <T> T on(DirectDatabase database, Function<JdbcTemplate, T> work) {
    DataSource yielding =
        new ScriptDatabase(database.withTimeout(LONGEST_STATEMENT), new YieldingDdl());
    try (Connection connection = yielding.getConnection()) {
      JdbcTemplate jdbc = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
      jdbc.execute(GIVE_UP_SOON);
      return work.apply(jdbc);
    } catch (SQLException e) {
      throw new CannotGetJdbcConnectionException("no connection to change tables", e);
    }
  }

  @Override
  public boolean execute(String sql, ScriptDatabase.Execution real) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        return real.run();
      } catch (SQLException e) {
        if (e.getErrorCode() != LOCK_WAIT_TIMEOUT || !DDL.matcher(sql).matches()) {
          throw e;
        }
        if (attempt % ATTEMPTS_A_LINE == 1) {
          log.warn(
              "the migration waits for a long transaction, attempt {}; information_schema.innodb_trx"
                  + " lists it: {}",
              attempt,
              sql.strip().lines().findFirst().orElse(""));
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }
}
