package io.asyncflow.flowsvr.base.system.db;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Work that follows a commit, such as news, counts and log lines. It never fails the caller, for
 * which a failure would mean that nothing was committed: the caller might do the change again.
 */
public final class AfterCommit {

  private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);

  private AfterCommit() {}

  /**
   * Runs the work once the transaction of this thread is committed, and not if it is rolled back;
   * at once without a transaction. What the work throws is logged.
   */
  public static void run(Runnable work) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      runNow(work);
      return;
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED) {
              runNow(work);
            }
          }
        });
  }

  /** Runs the work behind a change that is committed already; what the work throws is logged. */
  public static void runNow(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      log.warn("a change is committed, and what was to follow failed; nothing is repeated", e);
    }
  }
}
