package io.asyncflow.flowsvr.number;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Forgets server numbers that nobody has held for long. What the row was kept for, that the next
 * owner makes no number of the same time, the database's clock sees to by then.
 */
@Component
public class ServerNumberRetention {

  private static final Duration UNUSED = Duration.ofDays(1);

  private final ServerNumberStore numbers;
  private final PagedDelete pages;

  ServerNumberRetention(ServerNumberStore numbers, PagedDelete pages) {
    this.numbers = numbers;
    this.pages = pages;
  }

  @Bean
  Duty serverNumberRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("server-number-retention", every.cleaning(), this::runOnce);
  }

  /** Returns how many numbers were forgotten. */
  int runOnce() {
    return pages.run(limit -> numbers.deleteUnused(UNUSED, limit));
  }
}
