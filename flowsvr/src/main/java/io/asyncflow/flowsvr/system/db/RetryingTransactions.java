package io.asyncflow.flowsvr.system.db;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Short READ COMMITTED transactions that are repeated when the database chose them as a deadlock's
 * victim (1213) or let them wait for a lock too long (1205).
 *
 * <p>A repeat is a new transaction, so what it runs must not keep state between two runs. A caller
 * sees either error only if it happens {@value #ATTEMPTS} times in a row and for {@value
 * #PATIENCE_MS} ms: a deadlock is told within a blink, so in a storm a count alone is used up
 * before the storm is over.
 */
@Component
public class RetryingTransactions {

  private static final Logger log = LoggerFactory.getLogger(RetryingTransactions.class);
  private static final int ATTEMPTS = 6;
  private static final long PATIENCE_MS = 2_000;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
  private static final long FIRST_PAUSE_MS = 16;
  private static final long LONGEST_PAUSE_MS = 256;

  private final TransactionTemplate transaction;

  /**
   * @param transactionManager of a pool whose connections are READ COMMITTED; to ask for that once
   *     more would cost each transaction two statements
   */
  public RetryingTransactions(PlatformTransactionManager transactionManager) {
    this.transaction = new TransactionTemplate(transactionManager);
  }

  /** Runs {@code work} in a transaction of its own and returns what it returned, after commit. */
  public <T> T execute(Supplier<T> work) {
    return retrying(() -> inTransaction(work));
  }

  /**
   * What the work threw is thrown, whatever the rollback throws after it: on a connection that
   * broke no rollback succeeds, and "connection is closed" would hide that it was the database's
   * fault.
   */
  private <T> T inTransaction(Supplier<T> work) {
    AtomicReference<RuntimeException> thrown = new AtomicReference<>();
    try {
      return transaction.execute(
          status -> {
            try {
              return work.get();
            } catch (RuntimeException e) {
              thrown.set(e);
              throw e;
            }
          });
    } catch (RuntimeException e) {
      throw thrown.get() == null ? e : thrown.get();
    }
  }

  /** The same, but not repeated: for work that its caller can do in another way. */
  public <T> T executeOnce(Supplier<T> work) {
    return inTransaction(work);
  }

  /**
   * Runs {@code work}, which is one statement and so a transaction by itself; without the three
   * round trips that begin and end another one.
   */
  public <T> T executeStatement(Supplier<T> work) {
    return retrying(work);
  }

  private static <T> T retrying(Supplier<T> work) {
    long begin = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      try {
        return work.get();
      } catch (PessimisticLockingFailureException e) {
        boolean isPatient = System.nanoTime() - begin < PATIENCE_NANOS;
        boolean isGivenUp = attempt >= ATTEMPTS && !isPatient;
        if (isGivenUp || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        log.debug("lost a lock race ({}), trying again: {}", attempt, e.getMessage());
        pauseAfter(attempt);
      }
    }
  }

  /** Full jitter, so that two victims of one deadlock do not meet again. */
  private static void pauseAfter(int attempt) {
    long bound = Math.min(FIRST_PAUSE_MS << Math.min(attempt - 1, 10), LONGEST_PAUSE_MS);
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(1, bound));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
