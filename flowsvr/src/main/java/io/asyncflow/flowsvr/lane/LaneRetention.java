package io.asyncflow.flowsvr.lane;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Deletes lanes 30 days after they were last asked for, unless a task table that can be read may
 * have tasks in them. Staged children of jobs need no lane: they name their workers themselves.
 */
@Component
public class LaneRetention {

  private static final Duration UNUSED = Duration.ofDays(30);
  private static final int PAGE = 500;

  private final LaneStore store;
  private final PagedDelete pages;
  private final RetryingTransactions transactions;

  LaneRetention(LaneStore store, PagedDelete pages, RetryingTransactions transactions) {
    this.store = store;
    this.pages = pages;
    this.transactions = transactions;
  }

  @Bean
  Duty laneRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("lane-retention", every.cleaning(), this::runOnce);
  }

  /** Runs a round; returns the number of deleted lanes, at most a page. */
  int runOnce() {
    pages.run(store::deleteUsesOfDropped);
    List<String> unused = store.unused(UNUSED, PAGE);
    return unused.isEmpty() ? 0 : transactions.execute(() -> store.deleteUnused(unused, UNUSED));
  }
}
