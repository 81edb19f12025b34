package io.asyncflow.flowsvr.claim;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes the rows of holds whose leases have all ended. */
@Component
public class HoldRetention {

  private final HoldStore holds;
  private final PagedDelete pages;

  HoldRetention(HoldStore holds, PagedDelete pages) {
    this.holds = holds;
    this.pages = pages;
  }

  @Bean
  Duty holdRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("hold-retention", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  public int runOnce() {
    return pages.run(holds::deleteExpired);
  }
}
