package io.asyncflow.flowsvr.audit;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes the oldest acts, once they are chained, so the chain of the others stays whole. */
@Component
public class ActRetention {

  private static final int PAGE = 500;
  private static final int MAX_PAGES = 2_000;

  private final ActChainStore store;
  private final RetryingTransactions transactions;
  private final Duration retention;

  ActRetention(
      ActChainStore store,
      RetryingTransactions transactions,
      @Value("${flow.act-retention:365d}") Duration retention) {
    this.store = store;
    this.transactions = transactions;
    this.retention = retention;
  }

  @Bean
  Duty actRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("act-retention", every, this::runOnce);
  }

  /** Runs a round; returns the number of deleted acts. */
  int runOnce() {
    int deleted = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      int ofPage = transactions.execute(this::deletePage);
      deleted += ofPage;
      if (ofPage < PAGE - 1) { // one of the links may be the last one of the page before
        break;
      }
    }
    return deleted;
  }

  private int deletePage() {
    return store.lastOlderThan(retention, PAGE).map(store::deleteUpTo).orElse(0);
  }
}
