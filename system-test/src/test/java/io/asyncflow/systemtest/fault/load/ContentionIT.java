package io.asyncflow.systemtest.fault.load;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.evidence.Executions;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.RedisStatistics;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many clients that want the same few rows. The numbers are rows of the matrix. */
@Tag("faults")
@Timeout(600)
class ContentionIT {

  /** A lock that lies tells everybody that they have it: the same as none. */
  private static final int THREADS_WITHOUT_A_LOCK = 50;

  private static final int ATTEMPTS = Integer.getInteger("asyncflow.test.attempts", 30_000);
  private static final int CLAIMERS = 64;
  private static final int ROUNDS = 40;

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("contention");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void row11_lyingLockLetsNoTaskBeHeldTwice() {
    int tasks = 100;
    try (Scenario scenario = Scenario.of(cluster, "row11", leisurely())) {
      scenario.create(servers.get(0).client(), tasks, Script.smooth());
      Set<String> everGiven = ConcurrentHashMap.newKeySet();
      Set<String> heldNow = ConcurrentHashMap.newKeySet();
      Set<String> heldTwice = ConcurrentHashMap.newKeySet();
      AtomicInteger attempts = new AtomicInteger();
      Stopwatch watch = Stopwatch.start();
      inParallel(
          THREADS_WITHOUT_A_LOCK,
          number -> {
            FlowClient client = servers.get(number % 2).client();
            String worker = "client-" + number;
            while (attempts.get() < ATTEMPTS) {
              List<Task> held = client.holdTasks(hold("row11", 5, worker));
              for (Task task : held) {
                attempts.incrementAndGet();
                boolean first = everGiven.add(task.taskId() + "@" + task.leaseEpoch());
                if (!first || !heldNow.add(task.taskId())) {
                  heldTwice.add(task.taskId() + "@" + task.leaseEpoch() + " by " + worker);
                }
              }
              held.forEach(task -> heldNow.remove(task.taskId()));
              release(client, held);
            }
          });
      Figures.print(
          "row 11: %d holds of %d tasks by %d clients without a lock in %.1f s: %d held twice",
          attempts.get(),
          tasks,
          THREADS_WITHOUT_A_LOCK,
          seconds(watch.elapsed()),
          heldTwice.size());
      assertThat(heldTwice).isEmpty();
      assertThat(scenario.count("lease_epoch <> reported_epoch")).isZero();
    }
  }

  /** The lock of each lies in a Redis of its own, which forgets it besides. */
  @Test
  void row11_workersThatAreAllToldThatTheyHaveTheLockDoNothingTwice() {
    int tasks = 600;
    Path directory = cluster.directory();
    try (EmbeddedRedis one = EmbeddedRedis.start(directory.resolve("redis-1"), 0);
        EmbeddedRedis two = EmbeddedRedis.start(directory.resolve("redis-2"), 0);
        EmbeddedRedis three = EmbeddedRedis.start(directory.resolve("redis-3"), 0);
        Scenario scenario = Scenario.of(cluster, "row11_workers", leisurely())) {
      List<EmbeddedRedis> liars = List.of(one, two, three);
      liars.stream()
          .map(
              liar -> scenario.launchWorker(servers.get(0), worker -> worker.withRedis(liar.url())))
          .toList()
          .forEach(WorkerNode::awaitReady);
      List<RedisStatistics> locks = liars.stream().map(RedisStatistics::new).toList();
      scenario.create(scenario.client(servers.get(0)), tasks, Script.smooth());
      while (scenario.count("status IN (1, 2, 32)") > 0) {
        locks.forEach(RedisStatistics::flushAll);
      }

      Executions executions = scenario.verdict().executions();
      Figures.print(
          "row 11: %d workers, each with a lock of its own that was lost again and again: %d stages"
              + " run, %d of them twice",
          liars.size(), executions.all(), executions.repeated());
      assertThat(locks).allMatch(lock -> lock.calls("eval", "evalsha") > 0);
      assertThat(executions.all()).isEqualTo(3 * tasks);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  /** Leases that no busy machine lets run out. */
  private static TypePlan leisurely() {
    return TypePlan.quick()
        .withLease(Duration.ofSeconds(30))
        .withMaxProcessingTime(Duration.ofSeconds(60));
  }

  @Test
  void row15_deadlockStormReachesNoClient() {
    int tasks = 200;
    try (Scenario scenario = Scenario.of(cluster, "row15", leisurely())) {
      scenario.create(scenario.client(servers.get(0)), tasks, Script.smooth());
      Stopwatch watch = Stopwatch.start();
      AtomicInteger holds = new AtomicInteger();
      inParallel(
          CLAIMERS,
          number -> {
            FlowClient client = scenario.client(servers.get(number % 2));
            String worker = "client-" + number;
            for (int round = 0; round < ROUNDS; round++) {
              List<Task> held = client.holdTasks(hold("row15", 20, worker));
              holds.addAndGet(held.size());
              client.heartbeat(
                  new Heartbeat(
                      worker,
                      held.stream()
                          .map(task -> new HeldTask(task.taskId(), task.leaseEpoch(), null))
                          .toList()));
              scenario.create(client, 1, Script.smooth());
              release(client, held);
            }
          });
      Figures.print(
          "row 15: %d clients, %d holds with their beats and releases, %d creates in %.1f s: no"
              + " 5xx",
          CLAIMERS, holds.get(), CLAIMERS * ROUNDS, seconds(watch.elapsed()));
      finish(scenario);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  private static void finish(Scenario scenario) {
    FlowClient client = scenario.client(servers.get(0));
    List<Task> held;
    do {
      held = client.holdTasks(hold(scenario.taskType(), 500, "finisher"));
      report(client, held, Outcome.SUCCESS);
    } while (!held.isEmpty());
  }

  private static HoldRequest hold(String taskType, int limit, String worker) {
    return new HoldRequest(taskType, limit, worker, 0, null, null);
  }

  private static void release(FlowClient client, List<Task> tasks) {
    report(client, tasks, Outcome.RELEASE);
  }

  private static void report(FlowClient client, List<Task> tasks, Outcome outcome) {
    if (tasks.isEmpty()) {
      return;
    }
    List<ReportResult> results =
        client.report(
            tasks.stream()
                .map(task -> Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), outcome))
                .toList());
    assertThat(results).allMatch(ReportResult::stands);
  }

  /** Runs the work on so many threads and returns when all are done. */
  private static void inParallel(int threads, IntConsumer work) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<CompletableFuture<Void>> all =
          IntStream.range(0, threads)
              .mapToObj(number -> CompletableFuture.runAsync(() -> work.accept(number), pool))
              .toList();
      all.forEach(CompletableFuture::join);
    } finally {
      pool.shutdownNow();
    }
  }
}
