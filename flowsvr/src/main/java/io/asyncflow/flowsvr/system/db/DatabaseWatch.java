package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Detects within two seconds that the database does not answer, and soon after that it does again.
 *
 * <p>It pings the database a few times a second on its own connection, so an exhausted pool does
 * not look like an outage. During an outage requests are refused at once instead of occupying
 * threads until a time-out, and health needs no query. Thread-safe.
 */
@Component
public class DatabaseWatch implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(DatabaseWatch.class);
  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final int PING_SECONDS = 1;
  private static final Duration CONNECT = Duration.ofMillis(500);
  private static final String NO_ANSWER = "08S01";

  private final DirectDatabase database;
  private final HikariDataSource pool;
  private volatile boolean up = true;
  private Connection connection;
  private BackgroundLoop loop;

  DatabaseWatch(DirectDatabase database, HikariDataSource pool) {
    this.database = database;
    this.pool = pool;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loop = BackgroundLoop.start("database-watch", PAUSE, this::runOnce);
  }

  /** Whether the database answered the last ping. */
  public boolean isUp() {
    return up;
  }

  void runOnce() {
    if (up && !answers()) {
      up = false;
      log.warn(
          "the database at {} does not answer: requests are refused until it does",
          database.place());
    } else if (!up && answers() && poolGivesConnections()) {
      up = true;
      log.info("the database answers again: requests are served");
    }
  }

  private boolean answers() {
    try {
      if (connection == null || !connection.isValid(PING_SECONDS)) {
        close();
        connection = database.withTimeout(CONNECT).getConnection();
      }
      return true;
    } catch (SQLException e) {
      // Any other error, such as too many connections, is an answer.
      return !NO_ANSWER.equals(e.getSQLState());
    }
  }

  /**
   * Whether the pool provides connections again. It may pause between two attempts, and requests
   * admitted earlier would wait in vain.
   */
  private boolean poolGivesConnections() {
    try (Connection any = pool.getConnection()) {
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private void close() {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        // the connection was broken anyway
      }
      connection = null;
    }
  }

  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
    close();
  }
}
