package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Deletes keys that ended a year ago, and denials that were over then. No server has known them for
 * long, so this is no change of keys.
 */
@Component
class EndedKeyRetention {

  static final Duration KEPT = Duration.ofDays(365);
  private static final Duration INTERVAL = Duration.ofHours(1);
  private static final int PAGE = 1_000;

  private final AccessKeyStore store;

  EndedKeyRetention(AccessKeyStore store) {
    this.store = store;
  }

  @Bean
  Duty endedKeyRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("access-key-retention", every.notBelowSweep(INTERVAL), this::runOnce);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    long before = store.version().now() - KEPT.toMillis();
    return store.deleteEndedBefore(before, PAGE) + store.deleteDenialsBefore(before, PAGE);
  }
}
