package io.asyncflow.flowsvr.number;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Deletes server numbers that were not leased for long. A row keeps the next owner from generating
 * numbers for the same time; after a day the database's clock does.
 */
@Component
public class ServerNumberRetention {

  private static final Duration MIN_UNUSED = Duration.ofDays(1);

  private final ServerNumberStore numbers;
  private final PagedDelete pages;

  ServerNumberRetention(ServerNumberStore numbers, PagedDelete pages) {
    this.numbers = numbers;
    this.pages = pages;
  }

  @Bean
  Duty serverNumberRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("server-number-retention", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    return pages.run(limit -> numbers.deleteUnused(MIN_UNUSED, limit));
  }
}
