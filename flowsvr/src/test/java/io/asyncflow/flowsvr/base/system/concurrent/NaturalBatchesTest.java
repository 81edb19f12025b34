package io.asyncflow.flowsvr.base.system.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.AtOnce;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;

class NaturalBatchesTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int ROOM = 10;

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final Database database = new Database();
  private NaturalBatches<String, String, String> batches =
      new NaturalBatches<>(ROOM, LONG, database);

  /**
   * Does "slow" calls when it is told to, "large" ones alone, refuses "bad" ones, and remembers the
   * others.
   */
  private static final class Database implements NaturalBatches.Work<String, String, String> {

    final List<String> commits = new CopyOnWriteArrayList<>();
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    RuntimeException outage;

    @Override
    public String alone(String key, String call) {
      if (call.equals("slow")) {
        begun.countDown();
        awaitGo();
      }
      if (call.equals("bad")) {
        throw new IllegalArgumentException("bad");
      }
      commits.add(key + " " + call);
      return call + " done";
    }

    @Override
    public List<String> together(String key, List<String> calls) {
      if (outage != null) {
        throw outage;
      }
      if (calls.contains("bad")) {
        throw new CannotAcquireLockException("as with many a bad call");
      }
      commits.add(key + " " + calls.stream().filter(c -> !c.equals("large")).sorted().toList());
      return calls.stream().map(call -> call.equals("large") ? null : call + " done").toList();
    }

    private void awaitGo() {
      try {
        assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @AfterEach
  void endCallers() {
    database.goOn.countDown();
    callers.shutdownNow();
  }

  private Future<String> call(String key, String call) {
    return callers.submit(() -> batches.call(key, call));
  }

  private Future<String> callThatIsUnderWay() throws InterruptedException {
    Future<String> slow = call("a", "slow");
    assertThat(database.begun.await(30, TimeUnit.SECONDS)).isTrue();
    return slow;
  }

  /** Calls of key "a" that have arrived, in this order. */
  private List<Future<String>> callsThatWait(String... calls) {
    List<Future<String>> waiting = new ArrayList<>();
    for (String call : calls) {
      waiting.add(call("a", call));
      await().until(() -> batches.waiting("a") == waiting.size());
    }
    return waiting;
  }

  @Test
  void loneCallIsCarriedOutAtOnceByItself() {
    assertThat(batches.call("a", "x")).isEqualTo("x done");
    assertThat(batches.call("a", "y")).isEqualTo("y done");
    assertThat(database.commits).containsExactly("a x", "a y");
  }

  @Test
  void keysAreForgottenWithTheirLastCall() throws Exception {
    Future<String> slow = callThatIsUnderWay();
    List<Future<String>> waiting = callsThatWait("b", "c");
    for (int i = 0; i < 100; i++) {
      batches.call("table " + i, "x");
    }
    assertThatThrownBy(() -> batches.call("table 100", "bad")).hasMessage("bad");
    assertThat(batches.keys()).isEqualTo(1);

    database.goOn.countDown();
    slow.get(30, TimeUnit.SECONDS);
    for (Future<String> call : waiting) {
      call.get(30, TimeUnit.SECONDS);
    }
    assertThat(batches.keys()).isZero();
  }

  @Test
  void loneCallsFailureIsItsCallers() {
    assertThatThrownBy(() -> batches.call("a", "bad")).hasMessage("bad");
    assertThat(batches.call("a", "x")).isEqualTo("x done");
  }

  @Test
  void whatArrivesMeanwhileIsCarriedOutTogether() throws Exception {
    Future<String> slow = callThatIsUnderWay();
    List<Future<String>> waiting = callsThatWait("x", "y", "z");

    database.goOn.countDown();

    assertThat(slow.get()).isEqualTo("slow done");
    assertThat(waiting).extracting(Future::get).containsExactly("x done", "y done", "z done");
    assertThat(database.commits).containsExactly("a slow", "a [x, y, z]");
  }

  @Test
  void callsOfAnotherKeyDoNotWait() throws Exception {
    callThatIsUnderWay();
    assertThat(batches.call("b", "x")).isEqualTo("x done");
  }

  @Test
  void callThatABatchLeavesOutIsCarriedOutAlone() throws Exception {
    callThatIsUnderWay();
    List<Future<String>> waiting = callsThatWait("x", "large", "z");

    database.goOn.countDown();

    assertThat(waiting).extracting(Future::get).containsExactly("x done", "large done", "z done");
    assertThat(database.commits).containsExactly("a slow", "a [x, z]", "a large");
  }

  @Test
  void batchThatFailsIsCarriedOutCallByCall() throws Exception {
    callThatIsUnderWay();
    List<Future<String>> waiting = callsThatWait("x", "bad", "z");

    database.goOn.countDown();

    assertThat(waiting.get(0).get()).isEqualTo("x done");
    assertThatThrownBy(() -> waiting.get(1).get()).hasRootCauseMessage("bad");
    assertThat(waiting.get(2).get()).isEqualTo("z done");
    assertThat(database.commits).containsExactlyInAnyOrder("a slow", "a x", "a z");
  }

  @Test
  void outageIsToldToAllAtOnce() throws Exception {
    database.outage =
        new DataAccessResourceFailureException("gone", new SQLException("gone", "08S01"));
    callThatIsUnderWay();
    List<Future<String>> waiting = callsThatWait("x", "y");

    database.goOn.countDown();

    for (Future<String> call : waiting) {
      assertThatThrownBy(call::get).hasCause(database.outage);
    }
    assertThat(database.commits).containsExactly("a slow");
  }

  @Test
  void grantThatOneCallLacksIsNotMissedByTheOthers() throws Exception {
    database.outage =
        new DataAccessResourceFailureException("denied", new SQLException("denied", "42000", 1142));
    callThatIsUnderWay();
    List<Future<String>> waiting = callsThatWait("x", "y");

    database.goOn.countDown();

    for (Future<String> call : waiting) {
      assertThat(call.get()).endsWith("done");
    }
  }

  @Test
  void callsThatThereIsNoRoomForAreRefused() throws Exception {
    callThatIsUnderWay();
    List<Future<String>> waiting =
        callsThatWait(Stream.generate(() -> "x").limit(ROOM - 1).toArray(String[]::new));

    assertThatThrownBy(() -> batches.call("b", "y"))
        .isInstanceOf(FlowException.class)
        .extracting("errorCode")
        .isEqualTo(ErrorCode.LIMIT_EXCEEDED);

    database.goOn.countDown();
    for (Future<String> call : waiting) {
      assertThat(call.get()).isEqualTo("x done");
    }
    await().untilAsserted(() -> assertThat(batches.call("b", "y")).isEqualTo("y done"));
  }

  @Test
  void batchThatTakesLongHoldsNobodyUp() throws Exception {
    batches = new NaturalBatches<>(ROOM, Duration.ofMillis(1), database);
    Future<String> slow = callThatIsUnderWay();

    assertThat(batches.call("a", "x")).isEqualTo("x done");
    assertThat(batches.call("a", "y")).isEqualTo("y done");

    assertThat(slow).isNotDone();
    database.goOn.countDown();
    assertThat(slow.get()).isEqualTo("slow done");
  }

  @Test
  void interruptedCallStillTellsWhatItCameTo() throws Exception {
    callThatIsUnderWay();
    CompletableFuture<String> result = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              String came = batches.call("a", "x");
              result.complete(came + (Thread.interrupted() ? ", interrupted" : ""));
            });
    caller.start();
    await().until(() -> batches.waiting("a") == 1);

    caller.interrupt();
    database.goOn.countDown();

    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("x done, interrupted");
  }

  @Test
  void eachOfManyCallsIsCarriedOutOnce() {
    AtomicInteger carriedOut = new AtomicInteger();
    NaturalBatches<Integer, Integer, Integer> numbers =
        new NaturalBatches<>(
            100,
            new NaturalBatches.Work<>() {
              @Override
              public Integer alone(Integer key, Integer call) {
                carriedOut.incrementAndGet();
                return -call;
              }

              @Override
              public List<Integer> together(Integer key, List<Integer> calls) {
                return calls.stream().map(call -> alone(key, call)).toList();
              }
            });

    AtOnce.from(
        16,
        thread -> {
          for (int i = 0; i < 1_000; i++) {
            assertThat(numbers.call(i % 3, thread * 1_000 + i)).isEqualTo(-(thread * 1_000 + i));
          }
          return null;
        });

    assertThat(carriedOut).hasValue(16_000);
  }
}
