package io.asyncflow.flowsvr.bulk;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes previews that are over, and bulks that ended long ago. What they did is in the acts. */
@Component
class BulkRetention {

  private static final Duration KEPT = Duration.ofDays(90);
  private static final int PAGE = 1_000;

  /** Previews are made by the second, and kept for ten minutes. */
  private static final int MOST_PAGES = 20;

  private final BulkStore store;

  BulkRetention(BulkStore store) {
    this.store = store;
  }

  @Bean
  Duty bulkRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("bulk-retention", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    int deleted = store.deleteEnded(KEPT.toMillis(), PAGE);
    for (int page = 0, ofPage = PAGE; ofPage == PAGE && page < MOST_PAGES; page++) {
      ofPage = store.deletePreviews(PAGE);
      deleted += ofPage;
    }
    return deleted;
  }
}
