package io.asyncflow.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Against a real Redis, alive, dead, frozen and back. */
class RedissonHoldLockIT {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Of a hundred tries that waited their 50 ms, or of one that waited for Redis itself, 5 s. */
  private static final Duration NEXT_TO_NOTHING = Duration.ofSeconds(2);

  // A lock that one test left to its lease must not be met by the next.
  private final String type = "lark" + System.nanoTime();
  private final String otherType = "tts" + System.nanoTime();
  private final ExecutorService otherThread = Executors.newSingleThreadExecutor();
  private static EmbeddedRedis redis;
  private static RedissonHoldLock mine;
  private static RedissonHoldLock theirs;

  @BeforeAll
  static void connect() {
    redis = TestServices.redis();
    mine = new RedissonHoldLock(RedisAddress.parse(redis.url()), Duration.ofMillis(300));
    theirs = new RedissonHoldLock(RedisAddress.parse(redis.url()), Duration.ofMillis(300));
  }

  @BeforeEach
  void awaitBoth() {
    TestServices.redis(); // again, if a test has stopped it
    awaitProbe(mine);
    awaitProbe(theirs);
  }

  @AfterEach
  void endThread() {
    otherThread.shutdownNow();
  }

  @AfterAll
  static void disconnect() {
    mine.close();
    theirs.close();
  }

  @Test
  void oneWorkerATypeHasIt() {
    awaitLock(mine, type);
    assertThat(theirs.tryAcquire(type)).isFalse();
    awaitLock(theirs, otherType);

    mine.release(type);
    awaitLock(theirs, type);
  }

  @Test
  void whoDoesNotGetItIsToldSoon() {
    awaitLock(mine, type);
    long quickest = Long.MAX_VALUE; // a busy machine makes one of them wait for itself
    for (int i = 0; i < 5; i++) {
      long start = System.nanoTime();
      assertThat(theirs.tryAcquire(type)).isFalse();
      quickest = Math.min(quickest, System.nanoTime() - start);
    }
    assertThat(Duration.ofNanos(quickest)).isLessThan(Duration.ofMillis(150));
  }

  @Test
  void contentionDoesNotOpenTheBreaker() {
    long before = theirs.failures();
    awaitLock(mine, type);
    for (int i = 0; i < 6; i++) {
      theirs.tryAcquire(type);
    }
    assertThat(theirs.failures() - before).as("a busy machine may cause one").isLessThan(3);
  }

  @Test
  void itIsKeptApartFromTheOtherThreadsOfItsWorker()
      throws ExecutionException, InterruptedException {
    awaitLock(mine, type);
    assertThat(otherThread.submit(() -> mine.tryAcquire(type)).get()).isFalse();
  }

  @Test
  void aHolderThatDiedDoesNotKeepIt() {
    RedissonHoldLock dying = new RedissonHoldLock(RedisAddress.parse(redis.url()));
    awaitLock(dying, type);
    dying.close();
    awaitLock(theirs, type);
  }

  @Tag("faults")
  @Test
  void aDeadRedisCostsNothingAndIsUsedAgainWhenItIsBack() {
    redis.kill();
    for (int i = 0; i < 5; i++) {
      assertThat(mine.tryAcquire(type)).isFalse();
    }
    assertThat(costOf(100)).as("100 tries behind the breaker").isLessThan(NEXT_TO_NOTHING);

    redis.restart();
    awaitProbe(mine);
  }

  @Tag("faults")
  @Test
  void aFrozenRedisCostsNothingAfterAFewTries() throws IOException, InterruptedException {
    signal("STOP");
    try {
      assertThat(costOf(5)).as("5 tries").isLessThan(NEXT_TO_NOTHING);
      assertThat(costOf(100)).as("100 tries behind the breaker").isLessThan(NEXT_TO_NOTHING);
    } finally {
      signal("CONT");
    }
    awaitProbe(mine);
  }

  @Tag("faults")
  @Test
  void itNeedNotBeThereAtTheStart() {
    redis.stop();
    RedissonHoldLock early = new RedissonHoldLock(RedisAddress.parse(redis.url()));
    try {
      assertThat(early.tryAcquire(type)).isFalse();
      redis.restart();
      awaitProbe(early);
    } finally {
      early.close();
    }
  }

  @Tag("faults")
  @Test
  void aWorkerGoesOnWhenRedisIsKilledAndWhenItIsBack() throws InterruptedException {
    FakeFlowServer server = new FakeFlowServer().withType("lark");
    try (Worker worker =
        Worker.builder()
            .client(server)
            .redis(redis.url())
            .handler("lark", "one", context -> StageResult.done())
            .build()) {
      worker.start();
      runOne(server);
      redis.kill();
      for (int i = 0; i < 5; i++) {
        runOne(server);
      }
      redis.restart();
      runOne(server);
    }
  }

  private static void runOne(FakeFlowServer server) throws InterruptedException {
    String taskId = server.createTask(NewTask.of("lark", "one", "me", ""));
    assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
  }

  private Duration costOf(int tries) {
    long start = System.nanoTime();
    for (int i = 0; i < tries; i++) {
      mine.tryAcquire(type);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** One try may be given up on a busy machine. In this thread, for a lock is a thread's own. */
  private static void awaitLock(RedissonHoldLock lock, String taskType) {
    await().atMost(PATIENCE).pollInSameThread().until(() -> lock.tryAcquire(taskType));
  }

  private static void awaitProbe(RedissonHoldLock lock) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              boolean acquired = lock.tryAcquire("probe");
              if (acquired) {
                lock.release("probe");
              }
              return acquired;
            });
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(redis.pid())).start().waitFor();
  }
}
