package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Two connections for people who look at the work, so that they take none from those who do it. The
 * connections are opened when somebody looks, and each statement is ended after half a second.
 */
@Component
public class ReadDatabase implements DisposableBean {

  private static final int CONNECTIONS = 2;
  private static final Duration PATIENCE = Duration.ofMillis(250);
  private static final Duration IDLE = Duration.ofSeconds(30);

  /** Each engine reads one of the comments. */
  private static final String LIMIT =
      "SET SESSION /*!80000 max_execution_time = 500 */ /*M!100100 max_statement_time = 0.5 */";

  /** The error numbers of statements that took longer, of MySQL and of MariaDB. */
  private static final Set<Integer> TOO_LONG = Set.of(3024, 1969);

  private final HikariDataSource pool;
  private final JdbcClient client;
  private final Semaphore turns = new Semaphore(CONNECTIONS, true);

  ReadDatabase(HikariDataSource database) {
    HikariConfig config = new HikariConfig();
    database.copyStateTo(config);
    config.setPoolName("reads");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setIdleTimeout(IDLE.toMillis());
    config.setConnectionInitSql(LIMIT);
    this.pool = new HikariDataSource(config);
    this.client = JdbcClient.create(new JdbcTemplate(pool));
  }

  /** For stores whose callers are {@linkplain #inTurn in turn}. */
  public JdbcClient client() {
    return client;
  }

  /**
   * Reads, with at most one connection at a time. Not within another turn.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if too many read, or if a statement
   *     took too long
   */
  public <T> T inTurn(Supplier<T> work) {
    if (!awaitTurn()) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "too many read numbers at the moment; try again");
    }
    try {
      return work.get();
    } catch (DataAccessException e) {
      throw isTooLong(e)
          ? new FlowException(
              ErrorCode.LIMIT_EXCEEDED, "the database needed too long for this; ask for less")
          : e;
    } finally {
      turns.release();
    }
  }

  private boolean awaitTurn() {
    try {
      return turns.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean isTooLong(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException e && TOO_LONG.contains(e.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void destroy() {
    pool.close();
  }
}
