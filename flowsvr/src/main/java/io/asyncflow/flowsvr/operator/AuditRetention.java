package io.asyncflow.flowsvr.operator;

import io.asyncflow.flowsvr.system.PagedDelete;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Deletes the record of acts that are older than it is to be kept. */
@Component
public class AuditRetention {

  private final AuditStore audit;
  private final PagedDelete pages;
  private final Duration retention;

  AuditRetention(
      AuditStore audit,
      PagedDelete pages,
      @Value("${flow.audit-retention:365d}") Duration retention) {
    this.audit = audit;
    this.pages = pages;
    this.retention = retention;
  }

  /** Returns how many acts were deleted. */
  public int runOnce() {
    return pages.run(limit -> audit.deleteOlderThan(retention, limit));
  }
}
