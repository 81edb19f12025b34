package io.asyncflow.flowsvr.base.system.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Causes;
import io.asyncflow.flowsvr.base.system.Node;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Two connections for people who look at the work, so that they take none from those who do it. The
 * connections are opened when somebody looks, and each statement is ended after half a second. A
 * turn may send statements for two seconds: whoever sends many asks between them whether its time
 * {@link #isOver}, and then answers with what it has.
 */
@Component
public class ReadDatabase implements DisposableBean {

  private static final int CONNECTIONS = 2;
  private static final Duration PATIENCE = Duration.ofMillis(250);
  private static final long TURN = Duration.ofSeconds(2).toNanos();

  /** Each engine reads one of the comments. */
  private static final String LIMIT =
      "SET SESSION /*!80000 max_execution_time = 500 */ /*M!100100 max_statement_time = 0.5 */";

  /** The error numbers of statements that took longer, of MySQL and of MariaDB. */
  private static final Set<Integer> TOO_LONG = Set.of(3024, 1969);

  private final HikariDataSource pool;
  private final JdbcClient client;
  private final Node node;
  private final Semaphore turns = new Semaphore(CONNECTIONS, true);
  private final ThreadLocal<Turn> ofThisThread = new ThreadLocal<>();

  ReadDatabase(HikariDataSource database, Node node) {
    HikariConfig config = new HikariConfig();
    database.copyStateTo(config);
    config.setPoolName("reads");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionInitSql(LIMIT);
    this.pool = new HikariDataSource(config);
    this.client = JdbcClient.create(new JdbcTemplate(pool));
    this.node = node;
  }

  /** The turn of a thread, from when it needs one. */
  private static final class Turn {
    private final boolean isForAllStores;
    private boolean isTaken;
    private long since;

    private Turn(boolean isForAllStores) {
      this.isForAllStores = isForAllStores;
    }
  }

  /** For stores whose callers are {@linkplain #inTurn in turn}. */
  public JdbcClient client() {
    return client;
  }

  /** The database's epoch ms, for callers in turn. */
  public long now() {
    return client.sql("SELECT " + DatabaseClock.NOW_MS).query(Long.class).single();
  }

  /**
   * Reads through {@link #client}, with at most one connection at a time.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if too many read, or if a statement
   *     took too long
   */
  public <T> T inTurn(Supplier<T> work) {
    Turn turn = ofThisThread.get();
    if (turn == null) {
      return during(new Turn(false), () -> inTurn(work));
    }
    take(turn);
    return work.get();
  }

  /**
   * Reads for a person by means of stores that others use, too: in this thread, they get their
   * connections here until the work is done. Work that needs no connection takes no turn.
   *
   * @throws FlowException as {@link #inTurn}
   */
  public <T> T instead(Supplier<T> work) {
    return ofThisThread.get() == null ? during(new Turn(true), work) : work.get();
  }

  private <T> T during(Turn turn, Supplier<T> work) {
    ofThisThread.set(turn);
    try {
      return work.get();
    } catch (RuntimeException e) {
      throw refusalOr(e);
    } finally {
      ofThisThread.remove();
      if (turn.isTaken) {
        turns.release();
      }
    }
  }

  /** Whether the time of this thread's turn is over. */
  public boolean isOver() {
    Turn turn = ofThisThread.get();
    return turn != null && turn.isTaken && node.nanoTime() - turn.since > TURN;
  }

  /** A connection for a thread that reads {@link #instead}; {@code null} for all others. */
  Connection connectionOfThisThread() throws SQLException {
    Turn turn = ofThisThread.get();
    if (turn == null || !turn.isForAllStores) {
      return null;
    }
    take(turn);
    return pool.getConnection();
  }

  private void take(Turn turn) {
    if (!turn.isTaken) {
      awaitTurn();
      turn.isTaken = true;
      turn.since = node.nanoTime();
    }
  }

  private void awaitTurn() {
    try {
      if (turns.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new FlowException(
        ErrorCode.LIMIT_EXCEEDED, "too many read numbers at the moment; try again");
  }

  private static RuntimeException refusalOr(RuntimeException failure) {
    if (Causes.of(failure)
        .anyMatch(t -> t instanceof SQLException e && TOO_LONG.contains(e.getErrorCode()))) {
      return new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "the database needed too long for this; ask for less");
    }
    // A refusal may be within what a transaction makes of it.
    return Causes.first(FlowException.class, failure)
        .<RuntimeException>map(refused -> refused)
        .orElse(failure);
  }

  HikariDataSource pool() {
    return pool;
  }

  @Override
  public void destroy() {
    pool.close();
  }
}
