package io.asyncflow.flowsvr.base.leader;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Takes part in the election of the node that runs the leader-only duties, or that has another role
 * for as long as some work takes; see the package description.
 *
 * <p>Thread-safe.
 */
@Component
public class LeaderElection implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
  static final Duration LEASE = Duration.ofSeconds(10);
  static final Duration MARGIN = Duration.ofSeconds(2);
  private static final Duration ROUND = Duration.ofMillis(3_000);

  /** Between two looks at a role that another server has. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final LeaderStore store;
  private final Node node;
  private volatile LeaderTerm term;

  @Autowired
  LeaderElection(LeaderStore store, Node node, TaskMeters meters) {
    this(store, node);
    meters.show("leader", "1 where this server leads governance", () -> term().isPresent() ? 1 : 0);
  }

  LeaderElection(LeaderStore store, Node node) {
    this.store = store;
    this.node = node;
  }

  /**
   * Does work that one server does at a time: waits until no other one has the role, however long
   * that takes, and renews the lease until the work is done. If the lease is lost meanwhile, the
   * work goes on, so it must be safe even if two servers do it.
   */
  public static <T> T alone(LeaderStore role, Node node, Supplier<T> work) {
    LeaderElection election = new LeaderElection(role, node);
    election.runOnce();
    if (election.term().isEmpty()) {
      log.info("another server leads {}; waiting until it is done", role.role());
    }
    while (election.term().isEmpty()) {
      LockSupport.parkNanos(PAUSE.toNanos());
      if (Thread.interrupted()) {
        throw new IllegalStateException("interrupted while waiting for " + role.role());
      }
      election.runOnce();
    }
    try (BackgroundLoop renewal = BackgroundLoop.start(role.role(), ROUND, election::runOnce)) {
      return work.get();
    } finally {
      election.destroy();
    }
  }

  @Bean
  BackgroundLoop leaderElectionLoop() {
    return new BackgroundLoop("leader-election", ROUND, this::runOnce);
  }

  /** The term that this node leads now; empty if it does not lead or cannot be sure. */
  public Optional<LeaderTerm> term() {
    return Optional.ofNullable(term).filter(t -> t.isTrustedAt(node.nanoTime()));
  }

  /**
   * The leadership according to the database.
   *
   * @param leader a node's id; empty if nobody leads
   * @param leaseMs how long the lease still lasts
   */
  public record Leadership(String leader, long term, long leaseMs) {}

  public Leadership current() {
    LeaderStore.Seen row = store.read();
    return new Leadership(
        row.isVacant(LEASE) ? "" : row.leader(), row.term(), Math.max(0, row.leaseMs()));
  }

  /** One round: renews the own term, or takes over a vacant one. */
  void runOnce() {
    long askedAt = node.nanoTime();
    LeaderTerm mine = term;
    if (mine != null) {
      if (store.renew(node.id(), mine.number(), LEASE)) {
        term = new LeaderTerm(mine.number(), askedAt, LEASE.minus(MARGIN));
        return;
      }
      term = null;
      log.warn("lost the leadership of term {}; {} goes on elsewhere", mine.number(), store.role());
    }
    LeaderStore.Seen row = store.read();
    if (row.isVacant(LEASE) && store.takeOver(node.id(), row.term(), LEASE)) {
      term = new LeaderTerm(row.term() + 1, askedAt, LEASE.minus(MARGIN));
      log.info("leads {} from now on, term {}", store.role(), row.term() + 1);
    }
  }

  @Override
  public void destroy() {
    LeaderTerm mine = term;
    term = null;
    if (mine != null) {
      try {
        store.resign(node.id(), mine.number());
      } catch (RuntimeException e) {
        log.info("could not resign from term {}, its lease will end by itself", mine.number());
      }
    }
  }
}
