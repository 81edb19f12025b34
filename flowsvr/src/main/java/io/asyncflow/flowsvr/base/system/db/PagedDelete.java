package io.asyncflow.flowsvr.base.system.db;

import java.util.function.IntUnaryOperator;
import org.springframework.stereotype.Component;

/** Deletes many rows in short statements, so that locks are short and the log stays small. */
@Component
public class PagedDelete {

  private static final int PAGE = 500;
  private static final int MAX_PAGES = 2_000;

  private final RetryingTransactions transactions;

  public PagedDelete(RetryingTransactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Deletes until a page is not full or a limit is reached; the next round deletes the rest.
   *
   * @param deleteUpTo deletes up to so many rows with one statement and returns their number
   * @return the number of deleted rows
   */
  public int run(IntUnaryOperator deleteUpTo) {
    int total = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      int deleted = transactions.retrying(() -> deleteUpTo.applyAsInt(PAGE));
      total += deleted;
      if (deleted < PAGE) {
        break;
      }
    }
    return total;
  }
}
