package io.asyncflow.flowsvr.system.db;

import java.util.function.IntUnaryOperator;
import org.springframework.stereotype.Component;

/** Deletes many rows by short statements, so that no lock lasts and no log overflows. */
@Component
public class PagedDelete {

  private static final int PAGE = 500;
  private static final int MAX_PAGES = 2_000;

  private final RetryingTransactions transactions;

  PagedDelete(RetryingTransactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Deletes until a page is not full, or a bound is reached; the rest is for the next round.
   *
   * @param deleteUpTo deletes up to so many rows by one statement and returns how many it did
   * @return how many rows were deleted
   */
  public int run(IntUnaryOperator deleteUpTo) {
    int total = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      int deleted = transactions.executeStatement(() -> deleteUpTo.applyAsInt(PAGE));
      total += deleted;
      if (deleted < PAGE) {
        break;
      }
    }
    return total;
  }
}
