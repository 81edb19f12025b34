package io.asyncflow.flowsvr.base.pulse;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.DutyResult;
import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Rolls up what is older than a day, and deletes it after the history's length. If two servers do
 * so at once, the locks of the rows make one of them wait, and it finds nothing.
 */
@Component
class MetricRollup {

  private static final Duration MINUTES_KEPT = Duration.ofHours(26);
  private static final int PAGE = 1_000;
  private static final int MAX_PAGES = 100;

  private final MetricStore metrics;
  private final PagedDelete pages;
  private final RetryingTransactions transactions;
  private final Duration history;

  MetricRollup(
      MetricStore metrics,
      PagedDelete pages,
      RetryingTransactions transactions,
      @Value("${flow.stats.history:14d}") Duration history) {
    this.metrics = metrics;
    this.pages = pages;
    this.transactions = transactions;
    this.history = history;
  }

  /**
   * The result of a run.
   *
   * @param rolledUp rows of a minute that were added to those of ten
   * @param deleted rows of ten minutes
   */
  record Result(int rolledUp, int deleted) implements DutyResult {
    @Override
    public boolean hadEffect() {
      return rolledUp + deleted > 0;
    }
  }

  @Bean
  Duty metricRollupDuty(DutyIntervals every) {
    return Duty.ofCleaning("metric-rollup", every, this::runOnce);
  }

  Result runOnce() {
    int rolledUp = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      int ofPage = transactions.execute(() -> metrics.rollUp(MINUTES_KEPT, PAGE));
      rolledUp += ofPage;
      if (ofPage < PAGE) {
        break;
      }
    }
    return new Result(rolledUp, pages.run(limit -> metrics.deleteRolledUp(history, limit)));
  }
}
