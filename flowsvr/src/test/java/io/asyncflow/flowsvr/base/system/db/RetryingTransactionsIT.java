package io.asyncflow.flowsvr.base.system.db;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.UnsweptServer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionTimedOutException;

/** Real deadlocks and lock waits, because what an engine and a driver call them is theirs. */
@UnsweptServer
@Tag("contract")
class RetryingTransactionsIT {

  @Autowired RetryingTransactions transactions;
  @Autowired PlatformTransactionManager manager;
  @Autowired HeartbeatDatabase heartbeats;
  @Autowired ReadDatabase reads;
  @Autowired DirectDatabase direct;
  @Autowired JdbcClient jdbc;

  @BeforeEach
  void twoRows() {
    jdbc.sql("DROP TABLE IF EXISTS locked").update();
    jdbc.sql("CREATE TABLE locked (id INT PRIMARY KEY, n INT NOT NULL) ENGINE = InnoDB").update();
    jdbc.sql("INSERT INTO locked (id, n) VALUES (1, 0), (2, 0)").update();
  }

  @Test
  void victimOfADeadlockIsRepeated() throws Exception {
    CyclicBarrier bothHaveOne = new CyclicBarrier(2);
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Void> other = inBackground(() -> bumpBoth(2, 1, bothHaveOne, attempts));
    bumpBoth(1, 2, bothHaveOne, attempts);
    other.get(30, SECONDS);
    assertThat(attempts.get()).as("one was the victim").isGreaterThanOrEqualTo(3);
    assertThat(values()).containsExactly(2, 2);
  }

  private void bumpBoth(int first, int second, CyclicBarrier barrier, AtomicInteger attempts) {
    boolean[] met = {false};
    transactions.execute(
        () -> {
          attempts.incrementAndGet();
          bump(jdbc, first);
          if (!met[0]) {
            met[0] = true;
            await(barrier);
          }
          bump(jdbc, second);
          return null;
        });
  }

  @Test
  void whatFollowsACommitFailsNoCallerAndRunsAfterNoRollback() {
    AtomicInteger followed = new AtomicInteger();
    Runnable failing =
        () -> {
          followed.incrementAndGet();
          throw new IllegalStateException("what follows fails");
        };

    int changed =
        transactions.execute(
            () -> {
              AfterCommit.run(failing);
              return jdbc.sql("UPDATE locked SET n = 7 WHERE id = 1").update();
            });
    assertThatThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      AfterCommit.run(failing);
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");
    AfterCommit.run(failing);

    assertThat(changed).isEqualTo(1);
    assertThat(values()).containsExactly(7, 0);
    assertThat(followed.get()).as("after the commit, and at once").isEqualTo(2);
  }

  @Test
  void whatTakesTooLongIsRolledBackAndNotRepeated() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // the clock may be negative
    RetryingTransactions timed = new RetryingTransactions(manager, now::get);
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                timed.execute(
                    () -> {
                      attempts.incrementAndGet();
                      bump(jdbc, 1);
                      now.addAndGet(SECONDS.toNanos(61));
                      return null;
                    }))
        .isInstanceOf(TransactionTimedOutException.class);
    assertThat(attempts).hasValue(1);
    assertThat(values()).as("rolled back").containsExactly(0, 0);

    timed.execute(
        () -> {
          bump(jdbc, 1);
          now.addAndGet(SECONDS.toNanos(60));
          return null;
        });
    assertThat(values()).containsExactly(1, 0);
  }

  @Test
  void waitForALockThatTakesTooLongIsRepeated() throws Exception {
    CountDownLatch failedOnce = new CountDownLatch(2);
    CountDownLatch locked = new CountDownLatch(1);
    CompletableFuture<Void> holder =
        inBackground(
            () ->
                transactions.execute(
                    () -> {
                      bump(jdbc, 1);
                      locked.countDown();
                      await(failedOnce);
                      return null;
                    }));
    await(locked);
    ofHeartbeats(() -> 0) // whatever the wait takes, no time has passed
        .execute(
            () -> {
              failedOnce.countDown(); // the second time it lets go
              JdbcClient connection = heartbeats.client();
              bump(connection, 1);
              return null;
            });
    holder.get(30, SECONDS);
    assertThat(values()).containsExactly(2, 0);
  }

  /** The lock may be that of a server that vanished. */
  @Test
  void waitForALockIsNotRepeatedAfterTwoSeconds() {
    AtomicLong now = new AtomicLong();
    AtomicInteger attempts = new AtomicInteger();
    transactions.execute(
        () -> {
          bump(jdbc, 1);
          assertThatThrownBy(
                  () ->
                      ofHeartbeats(now::get)
                          .execute(
                              () -> {
                                attempts.incrementAndGet();
                                now.addAndGet(SECONDS.toNanos(2));
                                JdbcClient connection = heartbeats.client();
                                bump(connection, 1);
                                return null;
                              }))
              .isInstanceOf(PessimisticLockingFailureException.class);
          return null;
        });
    assertThat(attempts).hasValue(1);
    assertThat(values()).containsExactly(1, 0);
  }

  private RetryingTransactions ofHeartbeats(LongSupplier nanoTime) {
    return new RetryingTransactions(
        new JdbcTransactionManager(heartbeats.template().getDataSource()), nanoTime);
  }

  @Test
  void whatIsToBeDoneOnceIsNotRepeatedWhateverHappens() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                transactions.executeOnce(
                    () -> {
                      bump(jdbc, 1);
                      attempts.incrementAndGet();
                      throw new CannotAcquireLockException("locked");
                    }))
        .isInstanceOf(CannotAcquireLockException.class);
    assertThat(attempts).hasValue(1);
    assertThat(values()).containsExactly(0, 0);
  }

  @Test
  void statementIsRepeatedLikeATransaction() {
    AtomicInteger attempts = new AtomicInteger();
    int value =
        transactions.retrying(
            () -> {
              if (attempts.incrementAndGet() == 1) {
                throw new CannotAcquireLockException("locked");
              }
              return attempts.get();
            });
    assertThat(value).isEqualTo(2);
  }

  @Test
  void conflictOfTiDbIsRepeated() {
    AtomicInteger attempts = new AtomicInteger();
    int value =
        transactions.retrying(
            () -> {
              if (attempts.incrementAndGet() == 1) {
                throw new TransientDataAccessResourceException(
                    "write conflict", new SQLException("write conflict", "HY000", 9007));
              }
              return attempts.get();
            });
    assertThat(value).isEqualTo(2);
  }

  @Test
  void withinATransactionNothingIsRepeatedButTheWhole() {
    AtomicInteger attempts = new AtomicInteger();
    int value =
        transactions.execute(
            () ->
                transactions.retrying(
                    () -> {
                      bump(jdbc, 1);
                      if (attempts.incrementAndGet() == 1) {
                        throw new CannotAcquireLockException("locked");
                      }
                      return attempts.get();
                    }));
    assertThat(value).isEqualTo(2);
    assertThat(values()).containsExactly(1, 0);
  }

  @Test
  void whatIsNoLockTroubleIsNotRepeated() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      attempts.incrementAndGet();
                      bump(jdbc, 2);
                      return jdbc.sql("INSERT INTO locked (id, n) VALUES (1, 0)").update();
                    }))
        .isInstanceOf(DuplicateKeyException.class);
    assertThat(attempts.get()).isEqualTo(1);
    assertThat(values()).containsExactly(0, 0);
  }

  @Test
  void whoseConnectionBreaksIsToldSoAndNotThatTheRollbackFailed() {
    assertThatThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      long own = jdbc.sql("SELECT CONNECTION_ID()").query(Long.class).single();
                      heartbeats.client().sql("KILL " + own).update();
                      bump(jdbc, 1);
                      return null;
                    }))
        .isInstanceOf(RecoverableDataAccessException.class)
        .hasRootCauseInstanceOf(IOException.class);
    assertThat(values()).containsExactly(0, 0);
  }

  @Test
  void itGivesUpAfterFiveRepeatsAndTwoSeconds() {
    AtomicInteger attempts = new AtomicInteger();
    long begin = System.nanoTime();
    assertThatThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      attempts.incrementAndGet();
                      throw new PessimisticLockingFailureException("of the test");
                    }))
        .isInstanceOf(PessimisticLockingFailureException.class);
    assertThat(attempts.get()).isGreaterThanOrEqualTo(6);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(2));
  }

  @Test
  void interruptedCallerIsNotKept() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      attempts.incrementAndGet();
                      Thread.currentThread().interrupt();
                      throw new PessimisticLockingFailureException("of the test");
                    }))
        .isInstanceOf(PessimisticLockingFailureException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(attempts).hasValue(1);
  }

  @Test
  void transactionsReadWhatIsCommitted() {
    assertThat(
            transactions.execute(
                () ->
                    jdbc.sql("SELECT @@session.transaction_isolation")
                        .query(String.class)
                        .single()))
        .isEqualTo("READ-COMMITTED");
    assertThat(jdbc.sql("SELECT @@session.transaction_isolation").query(String.class).single())
        .isEqualTo("READ-COMMITTED");
    assertThat(
            heartbeats
                .client()
                .sql("SELECT @@session.transaction_isolation")
                .query(String.class)
                .single())
        .isEqualTo("READ-COMMITTED");
  }

  /** The test database has others; see {@link io.asyncflow.dev.testing.TestServices}. */
  @Test
  void eachSessionHasTheSettingsThatStatementsNeed() {
    List<JdbcClient> sessions =
        List.of(
            jdbc,
            heartbeats.client(),
            reads.client(),
            JdbcClient.create(direct.withTimeout(Duration.ofSeconds(9))));
    assertThat(sessions)
        .extracting(
            session ->
                session
                    .sql(
                        """
                        SELECT CONCAT_WS(' ', @@session.sql_mode, @@session.sql_quote_show_create = 1,
                          @@session.sql_safe_updates = 1, @@session.sql_select_limit,
                          @@session.sql_big_selects = 1, @@session.sql_auto_is_null = 1,
                          @@session.completion_type, @@session.unique_checks = 1)
                        """)
                    .query(String.class)
                    .single())
        .containsOnly(
            "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION 1 0"
                + " 18446744073709551615 1 0 NO_CHAIN 1");
  }

  @Test
  void serverThatVanishesInATransactionKeepsItsLocksForNinetySeconds() {
    String limit = "SELECT @@session.wait_timeout";
    assertThat(jdbc.sql(limit).query(Integer.class).single()).isEqualTo(90);
    assertThat(heartbeats.client().sql(limit).query(Integer.class).single()).isEqualTo(90);
  }

  private static void bump(JdbcClient connection, int id) {
    connection.sql("UPDATE locked SET n = n + 1 WHERE id = ?").param(id).update();
  }

  private List<Integer> values() {
    return jdbc.sql("SELECT n FROM locked ORDER BY id").query(Integer.class).list();
  }

  private static CompletableFuture<Void> inBackground(Runnable work) {
    return CompletableFuture.runAsync(work, task -> new Thread(task).start());
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(10, SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(20, SECONDS)) {
        throw new IllegalStateException("nobody came");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
