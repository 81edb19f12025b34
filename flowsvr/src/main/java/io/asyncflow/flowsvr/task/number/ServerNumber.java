package io.asyncflow.flowsvr.task.number;

import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch.Seen;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Leases a server number for this process, renews the lease, and generates the task numbers.
 * Thread-safe.
 *
 * <p>The lease lasts 60 s and is trusted for 50 s; after that no task number is generated until the
 * lease is renewed or another number is leased. It is renewed every 30 s, and after a failure every
 * half second: so after an outage longer than the trusted time, creates fail for hardly longer. A
 * beat extends the lease every 3 s, so that the others know this server alive, and a time in which
 * none could write is known afterwards ({@link WriteOutageStore}).
 */
@Component
@DependsOnDatabaseInitialization
public class ServerNumber implements InitializingBean, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ServerNumber.class);
  static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  static final Duration BEAT_INTERVAL = Duration.ofSeconds(3);

  /** Between the beats while they fail, so that the first that succeeds is soon. */
  private static final Duration FAILING_INTERVAL = Duration.ofMillis(500);

  /** So many beats between two looks at the databases that all servers write to. */
  private static final int BEATS_OF_A_LOOK = 4;

  /** After so many beats without success the database takes no writes. */
  private static final int MISSED = 2;

  private static final Duration RENEWAL_INTERVAL = Duration.ofSeconds(30);

  private final ServerNumberStore store;
  private final WriteOutageStore outages;
  private final DatabaseWatch database;
  private final Events events;
  private final Node node;
  private final ServerLoad load;
  private final TaskNumbers numbers;
  private volatile Integer held;
  private volatile long renewedAt;
  private volatile long beatenAt;
  private volatile int missedBeats;
  private int beats;
  private boolean knowsStep;
  private BackgroundLoop renewal;

  @Autowired
  ServerNumber(
      ServerNumberStore store,
      WriteOutageStore outages,
      DatabaseWatch database,
      Events events,
      Node node,
      ObjectProvider<ServerLoad> load) {
    this(store, outages, database, events, node, load.getIfAvailable(() -> ServerLoad.NONE));
  }

  ServerNumber(
      ServerNumberStore store,
      WriteOutageStore outages,
      DatabaseWatch database,
      Events events,
      Node node,
      ServerLoad load) {
    this.store = store;
    this.outages = outages;
    this.database = database;
    this.events = events;
    this.node = node;
    this.load = load;
    this.numbers = new TaskNumbers(node::nanoTime);
  }

  @Override
  public void afterPropertiesSet() {
    outages.record();
    acquire();
    beatenAt = renewedAt;
    renewal =
        new BackgroundLoop(
                "server-number",
                () -> missedBeats == 0 ? BEAT_INTERVAL : FAILING_INTERVAL,
                this::runOnce)
            .start();
  }

  /** Not ready while the beats fail: then the database takes no writes, whatever it answers. */
  @Bean
  HealthIndicator writesHealthIndicator() {
    return () -> (missedBeats < MISSED ? Health.up() : Health.down()).build();
  }

  /**
   * The next task number, higher than all before.
   *
   * @throws io.asyncflow.api.FlowException with {@code UNAVAILABLE} if no lease is trusted now
   */
  public long nextTaskNumber() {
    return numbers.next();
  }

  private void acquire() {
    long requestedAt = node.nanoTime();
    ServerNumberStore.Grant grant = store.acquire(node, load, LEASE);
    held = grant.serverNumber();
    renewedAt = requestedAt;
    numbers.use(leaseOf(grant, requestedAt));
    log.info("this server has the number {}", grant.serverNumber());
  }

  /** Renews the lease if that is due; otherwise beats. */
  void runOnce() {
    boolean wasOutage;
    try {
      wasOutage = renewOrBeat();
    } catch (RuntimeException e) {
      missedBeats++;
      throw e;
    }
    if (missedBeats > 0 || wasOutage) {
      missedBeats = 0;
      events.publish(new WritesWorkAgain());
    }
    if (beats++ % BEATS_OF_A_LOOK == 0) {
      database.seeWriters(store.writers());
    }
  }

  private boolean renewOrBeat() {
    long begin = node.nanoTime();
    boolean wasOutage = begin - beatenAt > BEAT_INTERVAL.multipliedBy(3).dividedBy(2).toNanos();
    if (wasOutage) { // while this server beats there is none
      wasOutage = outages.record();
    }
    if (held == null || node.nanoTime() - renewedAt >= RENEWAL_INTERVAL.toNanos()) {
      renew();
    }
    if (!store.beat(held, node.id(), lookAtDatabase(), load, LEASE)) {
      renew();
    }
    beatenAt = begin;
    return wasOutage;
  }

  /** Before this server tells the step of the ids, it asks once what others knew of it. */
  private Seen lookAtDatabase() {
    Seen seen = database.seen();
    if (!knowsStep && !seen.step().isEmpty()) {
      database.seeStepAge(seen.step(), store.stepAge(seen.step()));
      knowsStep = true;
      seen = database.seen();
    }
    return seen;
  }

  void renew() {
    if (held == null) {
      acquire();
      return;
    }
    long requestedAt = node.nanoTime();
    Optional<ServerNumberStore.Grant> renewed =
        store.renew(held, node.id(), load, numbers.lastMs(), LEASE);
    if (renewed.isPresent()) {
      numbers.use(leaseOf(renewed.get(), requestedAt));
      renewedAt = requestedAt;
    } else {
      log.warn("the server number {} was leased to another server; leasing another number", held);
      held = null;
      numbers.use(null);
      acquire();
    }
  }

  private static ServerNumberLease leaseOf(ServerNumberStore.Grant grant, long requestedAt) {
    return new ServerNumberLease(
        grant.serverNumber(),
        grant.firstMs(),
        grant.limitMs(),
        grant.nowMs(),
        requestedAt,
        LEASE.minus(MARGIN));
  }

  @Override
  public void destroy() {
    renewal.close();
    numbers.use(null);
    try {
      if (held != null) {
        store.release(held, node.id(), numbers.lastMs());
      }
    } catch (RuntimeException e) {
      log.info("the server number {} could not be released; its lease will run out", held);
    }
  }
}
