package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.system.PagedDelete;
import org.springframework.stereotype.Component;

/** Forgets what holds were given once none of their leases can live any more. */
@Component
public class HoldRetention {

  private final HoldStore holds;
  private final PagedDelete pages;

  HoldRetention(HoldStore holds, PagedDelete pages) {
    this.holds = holds;
    this.pages = pages;
  }

  /** Returns how many holds were forgotten. */
  public int runOnce() {
    return pages.run(holds::deleteExpired);
  }
}
