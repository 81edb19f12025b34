package io.asyncflow.flowsvr.create;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes expired idempotency keys. */
@Component
public class KeyRetention {

  private final IdempotencyKeyStore keys;
  private final PagedDelete pages;

  KeyRetention(IdempotencyKeyStore keys, PagedDelete pages) {
    this.keys = keys;
    this.pages = pages;
  }

  @Bean
  Duty keyRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("key-retention", every.cleaning(), this::runOnce);
  }

  /** Returns the number of deleted keys. */
  int runOnce() {
    return pages.run(keys::deleteExpired);
  }
}
