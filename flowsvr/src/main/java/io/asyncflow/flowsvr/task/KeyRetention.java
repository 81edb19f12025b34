package io.asyncflow.flowsvr.task;

import io.asyncflow.flowsvr.system.PagedDelete;
import org.springframework.stereotype.Component;

/** Deletes idempotency keys past their expiry. */
@Component
public class KeyRetention {

  private final IdempotencyKeyStore keys;
  private final PagedDelete pages;

  KeyRetention(IdempotencyKeyStore keys, PagedDelete pages) {
    this.keys = keys;
    this.pages = pages;
  }

  /** Returns how many keys were deleted. */
  public int runOnce() {
    return pages.run(keys::deleteExpired);
  }
}
