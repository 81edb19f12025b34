package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Detects within two seconds that the database does not answer, and soon after that it does again.
 *
 * <p>It pings the database a few times a second on its own connection, so an exhausted pool does
 * not look like an outage. During an outage requests are refused at once instead of occupying
 * threads until a time-out, and health needs no query.
 *
 * <p>Once a second it also takes a connection from the pool, and waits for it as long as a request
 * does: a server whose pool gives none is not ready, although its database answers. Thread-safe.
 */
@Component
public class DatabaseWatch implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(DatabaseWatch.class);
  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration POOL_PAUSE = Duration.ofSeconds(1);
  private static final int PING_SECONDS = 1;
  private static final Duration CONNECT = Duration.ofMillis(500);
  private static final String NO_ANSWER = "08S01";

  private final DirectDatabase database;
  private final HikariDataSource pool;
  private volatile boolean up = true;
  private volatile boolean poolGives = true;
  private Connection connection;

  DatabaseWatch(DirectDatabase database, HikariDataSource pool) {
    this.database = database;
    this.pool = pool;
  }

  @Bean
  BackgroundLoop databaseWatchLoop() {
    return new BackgroundLoop("database-watch", PAUSE, this::runOnce);
  }

  @Bean
  BackgroundLoop poolWatchLoop() {
    return new BackgroundLoop("pool-watch", POOL_PAUSE, this::lookAtPool);
  }

  /** Replaces Spring Boot's, which waits for a pooled connection; this one answers at once. */
  @Bean
  HealthIndicator dbHealthIndicator() {
    return () -> (isReady() ? Health.up() : Health.down()).build();
  }

  /** Whether the database answered the last ping. */
  public boolean isUp() {
    return up;
  }

  /** Whether the database answers, and a request would get a connection to it. */
  boolean isReady() {
    return up && poolGives;
  }

  void runOnce() {
    if (up && !answers()) {
      up = false;
      log.warn(
          "the database at {} does not answer: requests are refused until it does",
          database.place());
    } else if (!up && answers() && poolGivesConnections()) {
      poolGives = true;
      up = true;
      log.info("the database answers again: requests are served");
    }
  }

  /** Changes nothing during an outage, after which {@link #runOnce} looks at the pool. */
  private void lookAtPool() {
    boolean gives = poolGivesConnections();
    if (!up || gives == poolGives) {
      return;
    }
    poolGives = gives;
    if (gives) {
      log.info("the pool gives connections again: this server is ready");
    } else {
      log.warn("the pool gives no connection: this server is not ready until it does");
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
    close();
  }
}
