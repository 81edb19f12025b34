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
 * Knows within two seconds that the database does not answer, and soon after that it does again.
 *
 * <p>It asks on a connection of its own, a few times a second. So an exhausted pool is not taken
 * for an outage, and while there is one nobody else has to find out: requests are refused at once
 * instead of waiting for a time-out each, with all threads of the server in the end, and health is
 * told without asking. Thread-safe.
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

  /** Whether the database answered when it was asked last. */
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
        connection = database.within(CONNECT).getConnection();
      }
      return true;
    } catch (SQLException e) {
      // Whatever else it says, as that too many are connected: it answers.
      return !NO_ANSWER.equals(e.getSQLState());
    }
  }

  /** The pool may pause between two tries, and who is let in before it is done waits in vain. */
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
        // it was of no use any more
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
