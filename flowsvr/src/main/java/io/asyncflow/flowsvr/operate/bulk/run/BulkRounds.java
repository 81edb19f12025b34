package io.asyncflow.flowsvr.operate.bulk.run;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.Feature;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.leader.LeaderTerm;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.operate.bulk.BulkRow;
import io.asyncflow.flowsvr.operate.bulk.BulkStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** The leader's duty: goes on with the bulks that run, in turn, at a steady pace. */
@Component
public class BulkRounds {

  private static final Logger log = LoggerFactory.getLogger(BulkRounds.class);

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** How long a round may last; then the duty reports what it did. */
  private static final Duration ROUND = Duration.ofSeconds(10);

  private static final Feature RUNNING = new Feature("t_bulk WHERE state = 'RUNNING'");

  private static final int FASTEST = 100_000;

  /** The least that a page counts for: it takes several statements. */
  private static final int LEAST_PAGE = 20;

  private final BulkStore store;
  private final BulkPages pages;
  private final LeaderElection election;
  private final Node node;
  private final Pace pace;

  BulkRounds(
      BulkStore store,
      BulkPages pages,
      LeaderElection election,
      Node node,
      @Value("${flow.bulk.pace:1000}") int perSecond) {
    if (perSecond < 1 || perSecond > FASTEST) {
      throw new BadSettingException("flow.bulk.pace must be from 1 to " + FASTEST + ".");
    }
    this.store = store;
    this.pages = pages;
    this.election = election;
    this.node = node;
    this.pace = new Pace(perSecond, node.nanoTime());
  }

  @Bean
  Duty bulkDuty(DutyIntervals every) {
    return Duty.ofLeader("bulk", every.notBelowSweep(INTERVAL), this::runOnce).onlyWith(RUNNING);
  }

  /** Returns what the pages have cost, in acts. */
  public int runOnce() {
    Optional<LeaderTerm> term = election.term();
    if (term.isEmpty()) {
      return 0;
    }
    long begin = node.nanoTime();
    int cost = 0;
    Set<Long> failed = new HashSet<>(); // these leave the rest of the round to others
    while (isLeader(term.get()) && node.nanoTime() - begin < ROUND.toNanos()) {
      long asked = node.nanoTime();
      Optional<BulkRow> bulk = store.next(failed);
      long read = node.nanoTime();
      if (bulk.isEmpty()) {
        return cost;
      }
      int ofPage = 0;
      try {
        ofPage = pages.next(bulk.get(), term.get().number());
      } catch (RuntimeException e) {
        long id = bulk.get().id();
        log.warn("a page of the bulk {} failed, and comes again in the next round", id, e);
        failed.add(id);
      }
      long written = node.nanoTime();
      cost += ofPage;
      pace.page(Math.max(ofPage, LEAST_PAGE), read - asked, written - read, written);
      if (!rest()) {
        return cost;
      }
    }
    return cost;
  }

  private boolean isLeader(LeaderTerm term) {
    return election.term().filter(now -> now.number() == term.number()).isPresent();
  }

  /** False if the server stops. */
  private boolean rest() {
    long wait;
    while ((wait = pace.waitAt(node.nanoTime())) > 0) {
      if (Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(wait);
    }
    return !Thread.currentThread().isInterrupted();
  }
}
