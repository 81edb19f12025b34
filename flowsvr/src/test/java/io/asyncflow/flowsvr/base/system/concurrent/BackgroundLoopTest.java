package io.asyncflow.flowsvr.base.system.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.base.system.Outage;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.client.RedisConnectionException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.transaction.CannotCreateTransactionException;

@Timeout(20)
@ExtendWith(OutputCaptureExtension.class)
class BackgroundLoopTest {

  private static final Duration SOON = Duration.ofMillis(1);

  /** Runs rounds, numbered from 1, until {@code rounds} of them have begun. */
  private static void run(int rounds, IntConsumer round) throws InterruptedException {
    AtomicInteger begun = new AtomicInteger();
    CountDownLatch enough = new CountDownLatch(rounds);
    try (BackgroundLoop loop =
        BackgroundLoop.start(
            "the-loop",
            SOON,
            () -> {
              enough.countDown();
              round.accept(begun.incrementAndGet());
            })) {
      enough.await();
    }
  }

  private static List<String> saidOf(String words, CapturedOutput output) {
    return output.getOut().lines().filter(line -> line.contains(words)).toList();
  }

  @Test
  void loopSurvivesWhateverItsJobThrows(CapturedOutput output) throws Exception {
    run(
        4,
        round -> {
          if (round == 1) {
            throw new IllegalStateException("a bug");
          } else if (round == 2) {
            throw new StackOverflowError("an error");
          }
        });

    assertThat(saidOf("the-loop failed", output)).hasSize(2);
    assertThat(saidOf("the-loop works again", output)).hasSize(1);
  }

  @Test
  void bugIsToldOnceAndWithItsStackTrace(CapturedOutput output) throws Exception {
    run(
        5,
        round -> {
          throw new IllegalStateException("a bug");
        });

    assertThat(saidOf("the-loop failed and will run again in about 1 ms", output)).hasSize(1);
    assertThat(saidOf("IllegalStateException: a bug", output)).hasSize(1);
    assertThat(saidOf("\tat " + getClass().getName(), output)).isNotEmpty();
  }

  @Test
  void databaseThatDoesNotAnswerIsOneLineHoweverItsMessageChanges(CapturedOutput output)
      throws Exception {
    run(
        5,
        round -> {
          throw new CannotCreateTransactionException(
              "no transaction",
              new SQLTransientConnectionException("timed out after 200" + round + " ms"));
        });

    assertThat(saidOf("the-loop failed", output))
        .singleElement()
        .asString()
        .endsWith("in about 1 ms: SQLTransientConnectionException: timed out after 2001 ms");
    assertThat(saidOf("\tat ", output)).isEmpty();
  }

  @Test
  void oneLineNamesTheInnermostOneThatKnowsWhoDoesNotAnswer() {
    SQLException link = new SQLException("Communications link failure\n\nThe last packet", "08S01");
    link.initCause(new ConnectException("Connection refused"));

    assertThat(Outage.of(new DataAccessResourceFailureException("no", link)))
        .hasValue(new Outage("SQLException", "SQLException: Communications link failure"));
    assertThat(Outage.of(new RedisConnectionException("Unable to connect to 127.0.0.1:6379")))
        .hasValueSatisfying(outage -> assertThat(outage.line()).endsWith("127.0.0.1:6379"));
    assertThat(
            Outage.of(
                new UncheckedIOException("it cannot be kept", new AccessDeniedException("/file"))))
        .hasValue(new Outage("AccessDeniedException", "AccessDeniedException: it cannot be kept"));
    SQLException denied = new SQLException("CREATE command denied to user 'a'", "42000", 1142);
    assertThat(Outage.of(new BadSqlGrammarException("create", "CREATE TABLE t", denied)))
        .hasValue(new Outage("SQLException", "SQLException: CREATE command denied to user 'a'"));
    assertThat(Outage.of(new SQLException("You have an error in your SQL syntax", "42000")))
        .isEmpty();
  }

  @Test
  void closingWaitsForTheRoundUnderWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    BackgroundLoop loop =
        BackgroundLoop.start(
            "the-loop",
            SOON,
            () -> {
              begun.countDown();
              try {
                mayEnd.await();
              } catch (InterruptedException e) {
                return;
              }
              ended.set(true);
            });
    begun.await();
    Thread closer = new Thread(loop::close);
    closer.start();

    mayEnd.countDown();
    closer.join();

    assertThat(ended).isTrue();
  }
}
