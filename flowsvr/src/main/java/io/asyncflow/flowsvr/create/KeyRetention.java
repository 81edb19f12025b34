package io.asyncflow.flowsvr.create;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes what is remembered of old creates, for their repeats: keys, and the tasks of reports. */
@Component
public class KeyRetention {

  private final IdempotencyKeyStore keys;
  private final ReportedCreateStore reportedCreates;
  private final PagedDelete pages;

  KeyRetention(IdempotencyKeyStore keys, ReportedCreateStore reportedCreates, PagedDelete pages) {
    this.keys = keys;
    this.reportedCreates = reportedCreates;
    this.pages = pages;
  }

  @Bean
  Duty keyRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("key-retention", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    return pages.run(keys::deleteExpired) + pages.run(reportedCreates::deleteExpired);
  }
}
