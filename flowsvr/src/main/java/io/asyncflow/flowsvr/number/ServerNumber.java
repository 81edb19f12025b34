package io.asyncflow.flowsvr.number;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.stereotype.Component;

/**
 * Leases a server number for this process, renews the lease, and generates the task numbers.
 * Thread-safe.
 *
 * <p>The lease lasts 60 s and is trusted for 50 s; after that no task number is generated until the
 * lease is renewed or another number is leased. It is renewed every 30 s, and after a failure every
 * 3 s: so after an outage longer than the trusted time, creates fail for at most 3 s more. Where
 * the {@link ServerLoad} asks for it, a beat extends the lease every 3 s.
 */
@Component
@DependsOnDatabaseInitialization
public class ServerNumber implements InitializingBean, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ServerNumber.class);
  static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(3);
  private static final Duration RENEWAL_INTERVAL = Duration.ofSeconds(30);

  private final ServerNumberStore store;
  private final Node node;
  private final ServerLoad load;
  private final TaskNumbers numbers;
  private volatile Integer held;
  private volatile long renewedAt;
  private BackgroundLoop renewal;

  @Autowired
  ServerNumber(ServerNumberStore store, Node node, ObjectProvider<ServerLoad> load) {
    this(store, node, load.getIfAvailable(() -> ServerLoad.NONE));
  }

  ServerNumber(ServerNumberStore store, Node node, ServerLoad load) {
    this.store = store;
    this.node = node;
    this.load = load;
    this.numbers = new TaskNumbers(node::nanoTime);
  }

  @Override
  public void afterPropertiesSet() {
    acquire();
    renewal = BackgroundLoop.start("server-number", CHECK_INTERVAL, this::runOnce);
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

  /** Renews the lease if that is due; otherwise beats if the others must know. */
  void runOnce() {
    if (held == null || node.nanoTime() - renewedAt >= RENEWAL_INTERVAL.toNanos()) {
      renew();
    } else if (load.beatsOften() && !store.beat(held, node.id(), load, LEASE)) {
      renew();
    }
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
