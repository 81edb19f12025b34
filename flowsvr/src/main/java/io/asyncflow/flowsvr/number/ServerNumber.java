package io.asyncflow.flowsvr.number;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.stereotype.Component;

/**
 * Borrows this process's server number, keeps it, and gives the task numbers made under it.
 *
 * <p>The lease lasts a minute and is trusted for ten seconds less; after that no number is made
 * until it is renewed or another number is borrowed. It is renewed every half minute, and tried
 * every three once that is over, which is how long nothing can be created after an outage that
 * lasted longer than the trust.
 */
@Component
@DependsOnDatabaseInitialization
public class ServerNumber implements InitializingBean, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(ServerNumber.class);
  static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  private static final Duration ROUND = Duration.ofSeconds(3);
  private static final Duration RENEWAL = Duration.ofSeconds(30);

  private final ServerNumberStore store;
  private final Node node;
  private final TaskNumbers numbers;
  private volatile Integer held;
  private volatile long keptAt;
  private BackgroundLoop renewal;

  ServerNumber(ServerNumberStore store, Node node) {
    this.store = store;
    this.node = node;
    this.numbers = new TaskNumbers(node::nanoTime);
  }

  @Override
  public void afterPropertiesSet() {
    borrow();
    renewal = BackgroundLoop.start("server-number", ROUND, this::renewIfDue);
  }

  /** The next number of a task id. */
  public long nextTaskNumber() {
    return numbers.next();
  }

  private void borrow() {
    long askedAt = node.nanoTime();
    ServerNumberStore.Grant grant = store.borrow(node, LEASE);
    held = grant.serverNumber();
    keptAt = askedAt;
    numbers.use(leaseOf(grant, askedAt));
    log.info("this server has the number {}", grant.serverNumber());
  }

  private void renewIfDue() {
    if (held == null || node.nanoTime() - keptAt >= RENEWAL.toNanos()) {
      renew();
    }
  }

  void renew() {
    if (held == null) {
      borrow();
      return;
    }
    long askedAt = node.nanoTime();
    Optional<ServerNumberStore.Grant> kept = store.renew(held, node.id(), numbers.lastMs(), LEASE);
    if (kept.isPresent()) {
      numbers.use(leaseOf(kept.get(), askedAt));
      keptAt = askedAt;
    } else {
      log.warn("the server number {} was lent to another server, borrowing another one", held);
      held = null;
      numbers.use(null);
      borrow();
    }
  }

  private static ServerNumberLease leaseOf(ServerNumberStore.Grant grant, long askedAt) {
    return new ServerNumberLease(
        grant.serverNumber(),
        grant.firstMs(),
        grant.limitMs(),
        grant.nowMs(),
        askedAt,
        LEASE.minus(MARGIN));
  }

  @Override
  public void destroy() {
    renewal.close();
    numbers.use(null);
    try {
      if (held != null) {
        store.giveBack(held, node.id(), numbers.lastMs());
      }
    } catch (RuntimeException e) {
      log.info("the server number {} is not given back, its lease will end by itself", held);
    }
  }
}
