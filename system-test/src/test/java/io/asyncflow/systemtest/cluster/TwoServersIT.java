package io.asyncflow.systemtest.cluster;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.RedisStatistics;
import io.asyncflow.systemtest.measure.Starts;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** Two servers, their workers and a Redis on one database. */
@Timeout(300)
class TwoServersIT {

  /** 10,000 is the promise; the build makes do with less, for it has to share its machine. */
  private static final int MANY = Integer.getInteger("asyncflow.test.tasks", 3_000);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.start("two-servers");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void threeWorkersCommitEachStageOfManyTasksOnce() {
    try (Scenario scenario = Scenario.of(cluster, "many", leisurely())) {
      List<WorkerNode> workers =
          IntStream.range(0, 3).mapToObj(i -> scenario.launchWorker(servers.get(i % 2))).toList();
      workers.forEach(WorkerNode::awaitReady);
      Stopwatch watch = Stopwatch.start();
      scenario.create(scenario.client(servers.get(0)), MANY, Script.smooth());
      Duration created = watch.elapsed();
      scenario.awaitDrained(Duration.ofMinutes(4));
      Duration done = watch.elapsed();

      Figures.print(
          "%d three-stage tasks on 2 servers and 3 workers: %.0f tasks/s"
              + " (created within %.1f s, done within %.1f s)",
          MANY, MANY / seconds(done), seconds(created), seconds(done));
      Verdict verdict = scenario.verdict();
      assertThat(verdict.violations()).isEmpty();
      assertThat(verdict.tasks()).isEqualTo(MANY);
      assertThat(verdict.executions().all()).isEqualTo(3 * MANY);
      assertThat(scenario.count("status = 4")).isEqualTo(MANY);
    }
  }

  /** Leases that no busy machine lets run out. */
  private static TypePlan leisurely() {
    return TypePlan.quick()
        .withLease(Duration.ofSeconds(30))
        .withMaxProcessingTime(Duration.ofSeconds(60));
  }

  @Tag("faults")
  @Test
  void tasksOfAKilledWorkerStartElsewhereAndBurnNoRetry() {
    TypePlan plan = TypePlan.quick().withLease(Duration.ofSeconds(3));
    Duration target = plan.lease().plusSeconds(2); // one sweep, and one second
    try (Scenario scenario = Scenario.of(cluster, "killed", plan)) {
      WorkerNode victim = scenario.startWorker(servers.get(0), worker -> worker.withRoom(8, 0));
      scenario.create(
          scenario.client(servers.get(0)), 8, Script.smooth().with("a", "SLEEP 60000", "OK"));
      await().atMost(PATIENCE).until(() -> scenario.count("status = 2") == 8);
      scenario.startWorker(servers.get(1));

      Stopwatch watch = Stopwatch.start();
      victim.kill();
      await().atMost(target.multipliedBy(3)).until(() -> scenario.count("lease_epoch >= 2") == 8);
      scenario.awaitDrained(PATIENCE);

      Duration last = watch.until(Starts.of(scenario, 2).last());
      Figures.print(
          "worker killed -9: its 8 tasks run elsewhere after %.1f s at the latest"
              + " (lease 3 s; target %.0f s)",
          seconds(last), seconds(target));
      assertThat(last).isLessThan(target.multipliedBy(3));
      assertThat(scenario.count("crt_retry_num > 0")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Tag("faults")
  @Test
  void terminatedWorkerReleasesWhatItCannotFinish() {
    Duration grace = Duration.ofSeconds(9);
    try (Scenario scenario = Scenario.of(cluster, "terminated", leisurely())) {
      WorkerNode leaver =
          scenario.startWorker(servers.get(0), worker -> worker.withRoom(2, 6).withGrace(grace));
      // The first one ends within the grace, the second one does not.
      scenario.create(
          scenario.client(servers.get(0)),
          2,
          i -> Script.smooth().with("a", i == 0 ? "SLEEP 8000" : "SLEEP 60000", "OK"));
      await().atMost(PATIENCE).until(() -> Starts.of(scenario, 1).count() == 2);
      scenario.startWorker(servers.get(1));

      Stopwatch watch = Stopwatch.start();
      leaver.terminate();
      scenario.awaitDrained(PATIENCE);
      assertThat(leaver.awaitEnd(PATIENCE)).isTrue();

      Starts second = Starts.of(scenario, 2, "a");
      assertThat(second.count()).isEqualTo(1);
      Duration running = watch.until(second.last());
      Figures.print(
          "worker terminated: the unfinished task runs elsewhere after %.1f s (grace %.0f s)",
          seconds(running), seconds(grace));
      assertThat(running).isLessThan(grace.multipliedBy(3));
      assertThat(scenario.count("crt_retry_num > 0 OR delivery_count > 0")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Tag("faults")
  @Test
  void whatTwoLongRunsLeaveIsRunByAnotherWorkerAtOnce() {
    try (Scenario scenario = Scenario.of(cluster, "shared", leisurely())) {
      scenario.startWorker(servers.get(0), worker -> worker.withRoom(2, 6));
      scenario.create(
          scenario.client(servers.get(0)), 8, Script.smooth().with("a", "SLEEP 10000", "OK"));
      await().atMost(PATIENCE).until(() -> Starts.of(scenario, 1).count() == 2);

      Stopwatch watch = Stopwatch.start();
      scenario.startWorker(servers.get(1));
      await().atMost(PATIENCE).until(() -> Starts.of(scenario, 1).count() == 8);
      Duration last = watch.until(Starts.of(scenario, 1).last());
      Figures.print(
          "worker started beside one whose threads have long runs: 6 tasks run %.1f s later,"
              + " its own start included",
          seconds(last));
      scenario.awaitDrained(PATIENCE);
      assertThat(scenario.verdict().executions().repeated()).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Tag("faults")
  @Test
  void workerThatIsSentAwayFinishesWhatItRunsAndLeavesTheRest() {
    Duration run = Duration.ofSeconds(4);
    Duration word = Duration.ofSeconds(20); // to the other server, and from there to the worker
    try (Scenario scenario = Scenario.of(cluster, "drained", TypePlan.quick())) {
      WorkerNode leaver =
          scenario.startWorker(
              servers.get(0), worker -> worker.withRoom(2, 6).withGrace(Duration.ZERO));
      await().atMost(PATIENCE).until(() -> isShown(leaver, "alive"));
      scenario.create(
          scenario.client(servers.get(0)),
          8,
          Script.smooth().with("a", "SLEEP " + run.toMillis(), "OK"));
      await().atMost(PATIENCE).until(() -> Starts.of(scenario, 1).count() == 2);

      Stopwatch watch = Stopwatch.start();
      servers.get(1).post("/api/worker/drain?workerId=" + leaver.workerId());
      assertThat(leaver.awaitEnd(PATIENCE)).isTrue();
      Duration left = watch.elapsed();
      assertThat(leaver.exitCode()).isZero();
      await().atMost(PATIENCE).until(() -> isShown(leaver, "stopped"));
      int ran = Starts.of(scenario, 1).count();
      assertThat(scenario.count("task_stage = 'b'")).as("finished by the leaver").isEqualTo(ran);
      assertThat(scenario.count("status = 1")).as("left to others").isEqualTo(8);

      scenario.startWorker(servers.get(1));
      scenario.awaitDrained(PATIENCE);
      Figures.print(
          "worker sent away through the other server: gone after %.1f s (its runs take %.0f s),"
              + " %d tasks left to others",
          seconds(left), seconds(run), 8 - ran);
      assertThat(left).isLessThan(run.plus(word));
      assertThat(scenario.count("crt_retry_num > 0 OR delivery_count > 0")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  private static boolean isShown(WorkerNode worker, String state) {
    String workers = servers.get(0).post("/api/worker/list?limit=1000");
    return JSON.readTree(workers)
        .at("/result/workerList")
        .valueStream()
        .filter(shown -> shown.path("workerId").asString().equals(worker.workerId()))
        .filter(shown -> shown.path("state").asString().equals(state))
        .anyMatch(shown -> shown.at("/description/stages").toString().contains("drained/a"));
  }

  @Test
  void sixteenClientsHoldAThousandTasksEachOnceWithoutALock() {
    try (Scenario scenario = Scenario.of(cluster, "grabbed", leisurely())) {
      List<String> created =
          scenario.create(scenario.client(servers.get(0)), 1_000, Script.smooth());

      Stopwatch watch = Stopwatch.start();
      List<String> held =
          IntStream.range(0, 16)
              .mapToObj(i -> Grabber.start(scenario, servers.get(i % 2), "client-" + i))
              .toList()
              .stream()
              .flatMap(grabber -> grabber.held().stream())
              .toList();

      Figures.print(
          "16 clients held %d tasks without a lock in %d ms", held.size(), ms(watch.elapsed()));
      assertThat(held).containsExactlyInAnyOrderElementsOf(created);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Test
  void parkedHoldIsWokenAtOnceByACreateOnTheOtherServer() {
    try (Scenario scenario = Scenario.of(cluster, "woken", TypePlan.quick())) {
      List<Duration> delays = WakeUps.measure(scenario, servers.get(0), servers.get(1), 9);
      Figures.print(
          "create on one server to the answer of a hold parked on the other, through Redis:"
              + " median %d ms, worst %d ms",
          ms(delays.get(4)), ms(delays.get(8)));
      assertThat(delays.get(4)).isLessThan(Duration.ofMillis(300));
    }
  }

  @Tag("faults")
  @Test
  void workGoesOnWithoutRedisAndUsesItAgainWhenItIsBack() {
    try (Scenario scenario = Scenario.of(cluster, "unaided", TypePlan.quick())) {
      servers.forEach(scenario::startWorker);
      scenario.create(scenario.client(servers.get(0)), 300, Script.smooth());
      await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > 50);

      cluster.redis().kill();
      Stopwatch watch = Stopwatch.start();
      scenario.create(scenario.client(servers.get(1)), 300, Script.smooth());
      scenario.awaitDrained(PATIENCE);
      Figures.print(
          "Redis killed under load: 300 more tasks created and done within %.1f s",
          seconds(watch.elapsed()));

      cluster.redis().restart();
      RedisStatistics redis = new RedisStatistics(cluster.redis());
      scenario.create(scenario.client(servers.get(0)), 100, Script.smooth());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                scenario.create(scenario.client(servers.get(0)), 1, Script.smooth());
                assertThat(redis.calls("publish")).as("wake-ups between servers").isPositive();
                assertThat(redis.calls("subscribe")).as("servers that listen").isPositive();
                assertThat(redis.calls("eval", "evalsha")).as("hold locks").isPositive();
              });
      scenario.awaitDrained(PATIENCE);
      // No fault was declared, so a single 5xx or silence would be a violation.
      assertThat(scenario.verdict().violations()).isEmpty();
    }
    try (Scenario scenario = Scenario.of(cluster, "woken_again", TypePlan.quick())) {
      List<Duration> delays = WakeUps.measure(scenario, servers.get(0), servers.get(1), 5);
      Figures.print("wake-up through the Redis that came back: median %d ms", ms(delays.get(2)));
      assertThat(delays.get(2)).isLessThan(Duration.ofMillis(300));
    }
  }
}
