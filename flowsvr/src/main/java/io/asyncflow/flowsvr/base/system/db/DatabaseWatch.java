package io.asyncflow.flowsvr.base.system.db;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
 * <p>It asks the database a few times a second on its own connection, so an exhausted pool does not
 * look like an outage; and whether it takes writes, so that a change of the server that does is
 * known before a request fails. During an outage requests are refused at once instead of occupying
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
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Between two questions to a server without others: what has changed there, writes tell soon. */
  private static final Duration LONE = Duration.ofSeconds(15);

  /** After which a name of a host may lead to another server. */
  private static final Duration ELSEWHERE = Duration.ofSeconds(2);

  private static final String NO_ANSWER = "08S01";

  private final DirectDatabase database;
  private final WriterDataSource writer;
  private final HikariDataSource pool;
  private final List<HikariDataSource> pools;
  private final Node process;
  private volatile boolean up = true;
  private volatile boolean poolGives = true;
  private volatile DatabaseNode node;
  private volatile int writers = 1;
  private volatile Kept kept;
  private Connection connection;
  private long connectedAt;
  private long askedAt;

  /** The step of the ids, and since when no answer has told another: ns, monotonic. */
  private record Kept(IdStep step, long since) {}

  DatabaseWatch(
      DirectDatabase database,
      HikariDataSource pool,
      HeartbeatDatabase heartbeats,
      ReadDatabase reads,
      Node process) {
    this.process = process;
    this.database = database;
    this.writer = (WriterDataSource) pool.getDataSource();
    this.pool = pool;
    this.pools = List.of(pool, heartbeats.pool(), reads.pool());
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

  /**
   * What the database said when it was asked last.
   *
   * @param writerId id of the database server that took the writes; empty before
   * @param step of the ids; empty if it is not known
   * @param stepAgeMs for how long no server has seen another step, as far as is known
   */
  public record Seen(String writerId, String step, long stepAgeMs) {}

  public Seen seen() {
    DatabaseNode now = node;
    Kept step = kept;
    return new Seen(
        now == null ? "" : now.id(),
        step == null ? "" : step.step().text(),
        step == null ? 0 : Duration.ofNanos(process.nanoTime() - step.since()).toMillis());
  }

  /**
   * Tells for how long servers have seen no other step: those that were there before this one.
   *
   * @param step as {@link #seen} told it; if it is another one now, nothing happens
   */
  public synchronized void seeStepAge(String step, Duration age) {
    if (kept != null && kept.step().text().equals(step)) {
      long since = process.nanoTime() - age.toNanos();
      kept = new Kept(kept.step(), since - kept.since() < 0 ? since : kept.since());
    }
  }

  /**
   * Tells how many database servers the servers write to.
   *
   * @param seen 0 while none is known
   */
  public void seeWriters(int seen) {
    if (seen > 1 && writers <= 1) {
      log.error(
          "servers write to {} database servers at once, which do not see each other's locks: give"
              + " all servers the same hosts in FLOW_MYSQL_URL",
          seen);
    }
    writers = seen;
  }

  /** How many database servers the servers write to; more than one breaks what locks promise. */
  public int writers() {
    return writers;
  }

  /** Whether a server without others was asked a moment ago, and needs no more than a ping. */
  private boolean isLone() {
    return connection != null
        && node != null
        && node.takesWrites()
        && node.kind() == DatabaseNode.Kind.PLAIN
        && !writer.hasSeveralHosts()
        && process.nanoTime() - askedAt < LONE.toNanos();
  }

  /** How many connections this server has at most. */
  public int mostConnections() {
    return 1 + pools.stream().mapToInt(HikariDataSource::getMaximumPoolSize).sum();
  }

  /**
   * Whether the database has given out ids by this step since then, as far as is known: it has
   * answered each time it was asked, by this server or by those before it.
   *
   * @param time ns, monotonic
   */
  public boolean hasKept(IdStep step, long time) {
    Kept now = kept;
    return now != null && now.step().equals(step) && now.since() - time <= 0;
  }

  /** Whether the database answers, and a request would get a connection to it. */
  boolean isReady() {
    return up && poolGives;
  }

  void runOnce() {
    if (up && !answers()) {
      up = false;
      writer.pause();
      log.warn(
          "the database at {} does not answer: requests are refused until it does",
          database.place());
    } else if (!up && answers()) {
      writer.resume();
      if (poolGivesConnections()) {
        poolGives = true;
        up = true;
        log.info("the database answers again: requests are served");
      }
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
      ask();
      return true;
    } catch (SQLException e) {
      if (writer.hasSeveralHosts() || String.valueOf(e.getSQLState()).startsWith("08")) {
        close();
      }
      // Any other error, such as too many connections, is an answer.
      return !NO_ANSWER.equals(e.getSQLState());
    }
  }

  /**
   * Asks the server that takes the writes; if the one that is connected does not any more, the one
   * that does now. The pools give up their connections to the one before. A single host may lead to
   * another server after a while.
   */
  private void ask() throws SQLException {
    if (isLone()) {
      if (connection.isValid((int) PATIENCE.toSeconds())) {
        return; // no statement
      }
      close();
    }
    askedAt = process.nanoTime();
    DatabaseNode now = connection == null ? null : writer.ask(connection, node);
    boolean mayBeElsewhere =
        writer.hasSeveralHosts() || process.nanoTime() - connectedAt > ELSEWHERE.toNanos();
    if (now == null || !now.takesWrites() && mayBeElsewhere) {
      close();
      writer.forget();
      connection = database.withTimeout(PATIENCE).getConnection();
      connectedAt = process.nanoTime();
      now = writer.ask(connection, null);
    }
    if (node != null && !node.isSameAs(now)) {
      log.warn(
          now.takesWrites()
              ? "other connections to the database: the server behind them, or the step of its ids,"
                  + " has changed"
              : "the database takes no writes");
      pools.stream()
          .map(HikariDataSource::getHikariPoolMXBean)
          .filter(Objects::nonNull) // no connection was asked for yet
          .forEach(HikariPoolMXBean::softEvictConnections);
    }
    node = now;
    keep(now.step());
  }

  private synchronized void keep(IdStep step) {
    if (!hasKept(step, process.nanoTime())) {
      kept = new Kept(step, process.nanoTime());
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

  private synchronized void close() {
    kept = null;
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
