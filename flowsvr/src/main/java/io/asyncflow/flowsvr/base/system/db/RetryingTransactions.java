package io.asyncflow.flowsvr.base.system.db;

import static org.springframework.transaction.support.TransactionSynchronizationManager.isActualTransactionActive;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionTimedOutException;

/**
 * Short READ COMMITTED transactions, repeated after a deadlock (1213) or a lock wait time-out
 * (1205).
 *
 * <p>A repeat is a new transaction, so the work must not keep state between attempts. The caller
 * gets a deadlock only after {@value #ATTEMPTS} attempts and {@value #PATIENCE_MS} ms: deadlocks
 * are detected at once, so a count alone would be exhausted within a short burst of them. A lock
 * wait time-out has taken its second already, and is the caller's after {@value #PATIENCE_MS} ms:
 * the lock may be that of a server that vanished, which lasts for minutes, and whatever waits for
 * it occupies a connection.
 */
@Component
public class RetryingTransactions {

  private static final Logger log = LoggerFactory.getLogger(RetryingTransactions.class);
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  /** TiDB's numbers for a transaction that met another one, and may be repeated. */
  private static final Set<Integer> CONFLICTS = Set.of(8002, 8005, 8022, 8028, 9007);

  private static final int ATTEMPTS = 6;
  private static final long PATIENCE_MS = 2_000;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);

  /**
   * What takes longer is rolled back. The chain of acts is closed behind acts that are older than
   * this by far, and an act that is committed later would be missing in it.
   */
  private static final long LONGEST_S = 60;

  private static final long FIRST_PAUSE_MS = 16;
  private static final long LONGEST_PAUSE_MS = 256;

  private static final TransactionDefinition DEFAULTS = TransactionDefinition.withDefaults();

  private final PlatformTransactionManager transactions;
  private final LongSupplier nanoTime;

  /**
   * @param transactionManager of a pool whose connections are READ COMMITTED; setting the level in
   *     each transaction would cost two statements
   */
  @Autowired
  public RetryingTransactions(PlatformTransactionManager transactionManager) {
    this(transactionManager, System::nanoTime);
  }

  RetryingTransactions(PlatformTransactionManager transactionManager, LongSupplier nanoTime) {
    this.transactions = transactionManager;
    this.nanoTime = nanoTime;
  }

  /** Runs {@code work} in its own transaction and returns its value after the commit. */
  public <T> T execute(Supplier<T> work) {
    return retrying(() -> executeOnce(work));
  }

  /** Runs {@code work} in its own transaction. */
  public void run(Runnable work) {
    execute(
        () -> {
          work.run();
          return null;
        });
  }

  /**
   * As {@link #execute}, but never repeated: for callers with a fallback. Throws the exception of
   * the work, even if the rollback also fails: on a broken connection no rollback succeeds, and
   * "connection is closed" would hide the cause.
   */
  public <T> T executeOnce(Supplier<T> work) {
    long begin = nanoTime.getAsLong();
    TransactionStatus status = transactions.getTransaction(DEFAULTS);
    T result;
    try {
      result = work.get();
      refuseIfLong(begin);
    } catch (Throwable e) {
      try {
        transactions.rollback(status);
      } catch (RuntimeException ofRollback) {
        e.addSuppressed(ofRollback);
      }
      throw e;
    }
    transactions.commit(status);
    return result;
  }

  /**
   * By hand: a time-out of Spring's would be given to each statement, for which the driver needs a
   * thread, and it is not looked at before the commit.
   */
  private void refuseIfLong(long begin) {
    if (nanoTime.getAsLong() - begin > TimeUnit.SECONDS.toNanos(LONGEST_S)) {
      throw new TransactionTimedOutException(
          "the transaction took more than " + LONGEST_S + " s, and is rolled back");
    }
  }

  /**
   * Runs {@code work}, and repeats it after deadlocks and lock wait time-outs. Work that is a
   * single auto-committed statement needs no transaction, whose begin and end are three round
   * trips. Within a transaction nothing is repeated: the failure has rolled it back.
   */
  public <T> T retrying(Supplier<T> work) {
    long begin = nanoTime.getAsLong();
    for (int attempt = 1; ; attempt++) {
      try {
        return work.get();
      } catch (DataAccessException e) {
        if (isActualTransactionActive() || !isConflict(e)) {
          throw e; // a transaction is repeated as a whole
        }
        pauseOrGiveUp(e, attempt, begin);
      }
    }
  }

  private static boolean isConflict(DataAccessException e) {
    return e instanceof PessimisticLockingFailureException
        || e.getCause() instanceof SQLException cause && CONFLICTS.contains(cause.getErrorCode());
  }

  /** Whether it waited for a lock for too long, and lost no deadlock. */
  public static boolean isLockWaitTimeout(DataAccessException e) {
    return e.getCause() instanceof SQLException cause && cause.getErrorCode() == LOCK_WAIT_TIMEOUT;
  }

  /**
   * Pauses before the next attempt. Full jitter, so that two victims of a deadlock do not collide
   * again.
   *
   * @throws DataAccessException the failure, after the last attempt
   */
  private void pauseOrGiveUp(DataAccessException e, int attempt, long begin) {
    boolean isPatient = nanoTime.getAsLong() - begin < PATIENCE_NANOS;
    boolean isGivenUp = !isPatient && (attempt >= ATTEMPTS || isLockWaitTimeout(e));
    if (isGivenUp || Thread.currentThread().isInterrupted()) {
      throw e;
    }
    log.debug(
        "deadlock or lock wait time-out (attempt {}), trying again: {}", attempt, e.getMessage());
    long bound = Math.min(FIRST_PAUSE_MS << Math.min(attempt - 1, 10), LONGEST_PAUSE_MS);
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(1, bound));
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }
}
