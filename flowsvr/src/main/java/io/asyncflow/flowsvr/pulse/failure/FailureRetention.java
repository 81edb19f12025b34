package io.asyncflow.flowsvr.pulse.failure;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes the counts of failures that are older than the history. */
@Component
class FailureRetention {

  private final FailureStore failures;
  private final PagedDelete pages;
  private final Duration history;

  FailureRetention(
      FailureStore failures,
      PagedDelete pages,
      @Value("${flow.stats.history:14d}") Duration history) {
    this.failures = failures;
    this.pages = pages;
    this.history = history;
  }

  @Bean
  Duty failureRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("failure-retention", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    return pages.run(limit -> failures.delete(history, limit));
  }
}
