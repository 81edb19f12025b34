package io.asyncflow.flowsvr.create.limit;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes the rows of users who create nothing any more. */
@Component
public class UserLimitRetention {

  /** Long enough that no user who creates now and then loses the row, and few rows stay. */
  private static final Duration IDLE = Duration.ofHours(1);

  private final UserLimitStore store;
  private final PagedDelete pages;

  UserLimitRetention(UserLimitStore store, PagedDelete pages) {
    this.store = store;
    this.pages = pages;
  }

  @Bean
  Duty userLimitRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("user-limit-retention", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  public int runOnce() {
    return pages.run(limit -> store.deleteIdle(IDLE, limit));
  }
}
