package io.asyncflow.flowsvr.leader;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Takes part in the election of the node that runs the leader-only duties; see the package
 * description.
 *
 * <p>Thread-safe.
 */
@Component
public class LeaderElection implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
  static final Duration LEASE = Duration.ofSeconds(10);
  static final Duration MARGIN = Duration.ofSeconds(2);
  private static final Duration ROUND = Duration.ofMillis(3_000);

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
      log.warn("lost the leadership of term {}; governance goes on elsewhere", mine.number());
    }
    LeaderStore.Seen row = store.read();
    if (row.isVacant(LEASE) && store.takeOver(node.id(), row.term(), LEASE)) {
      term = new LeaderTerm(row.term() + 1, askedAt, LEASE.minus(MARGIN));
      log.info("leads governance from now on, term {}", row.term() + 1);
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
