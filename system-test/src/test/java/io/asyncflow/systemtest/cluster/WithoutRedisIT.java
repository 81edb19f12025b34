package io.asyncflow.systemtest.cluster;

import static io.asyncflow.systemtest.cluster.Figures.ms;
import static io.asyncflow.systemtest.cluster.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.systemtest.invariant.Verdict;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers on one database, and no Redis anywhere. */
@Timeout(300)
class WithoutRedisIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration FALLBACK_POLL = Duration.ofMillis(1_250);

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("without-redis");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void everyStageIsCommittedOnceWithoutRedis() {
    int tasks = 1_000;
    // Nothing is broken here, and no lease is so short that a busy machine breaks it.
    TypePlan plan = TypePlan.quick().withLease(Duration.ofSeconds(20));
    try (Scenario scenario = Scenario.of(cluster, "plain", plan)) {
      servers.forEach(scenario::startWorker);
      Stopwatch watch = Stopwatch.start();
      scenario.create(scenario.client(servers.get(0)), tasks, Script.smooth());
      scenario.awaitDrained(PATIENCE);

      Figures.print(
          "%d three-stage tasks on 2 servers and 2 workers without Redis: %.0f tasks/s",
          tasks, tasks / seconds(watch.elapsed()));
      Verdict verdict = scenario.verdict();
      assertThat(verdict.violations()).isEmpty();
      assertThat(verdict.executions().all()).isEqualTo(3 * tasks);
    }
  }

  @Test
  void parkedHoldHearsOfACreateOnTheOtherServerWithinTheFallbackPoll() {
    try (Scenario scenario = Scenario.of(cluster, "polled", TypePlan.quick())) {
      List<Duration> delays = WakeUps.measure(scenario, servers.get(0), servers.get(1), 5);
      Figures.print(
          "create on one server to the answer of a hold parked on the other, without Redis:"
              + " median %d ms, worst %d ms (fallback poll %d ms at most)",
          ms(delays.get(2)), ms(delays.get(4)), ms(FALLBACK_POLL));
      assertThat(delays.get(4)).isLessThan(FALLBACK_POLL.multipliedBy(3));
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Test
  void killedServerComesBackWithEverythingThatWasAcknowledged() {
    int tasks = 2_000;
    ServerNode mortal = servers.get(1);
    try (Scenario scenario = Scenario.of(cluster, "reborn", TypePlan.quick())) {
      IntStream.range(0, 2).forEach(i -> scenario.startWorker(mortal));
      FlowClient client = scenario.client(mortal);
      CompletableFuture<List<String>> created =
          CompletableFuture.supplyAsync(
              () -> scenario.createOneByOne(client, tasks, Script.smooth()));
      for (int kills = 1; kills <= 2; kills++) {
        int enough = kills * tasks / 4;
        await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > enough);
        Stopwatch watch = Stopwatch.start();
        scenario.fault("kill " + mortal.name(), mortal::kill);
        scenario.fault(
            "start " + mortal.name(),
            () -> {
              mortal.start();
              mortal.awaitReady();
            });
        Figures.print("server killed -9 under load is back after %.1f s", seconds(watch.elapsed()));
      }
      assertThat(created.join()).doesNotHaveDuplicates().hasSize(tasks);
      scenario.healed();
      scenario.awaitDrained(PATIENCE);

      Verdict verdict = scenario.verdict();
      Figures.print(
          "server killed -9 twice under load: %d of %d tasks done, %d of %d executions repeated",
          scenario.count("status = 4"),
          tasks,
          verdict.executions().repeated(),
          verdict.executions().all());
      assertThat(verdict.violations()).isEmpty();
      assertThat(scenario.count("status = 4")).isEqualTo(tasks);
    }
  }

  @Test
  void replaysConvergeAfterTheServerWasKilled() {
    ServerNode mortal = servers.get(1);
    TypePlan plan = TypePlan.quick().withLease(Duration.ofSeconds(60));
    try (Scenario scenario =
        Scenario.of(cluster, "replayed", plan.withMaxProcessingTime(Duration.ofSeconds(60)))) {
      FlowClient client = scenario.client(mortal);
      NewTask task = scenario.newTask(Script.smooth());
      HoldRequest hold = new HoldRequest(scenario.taskType(), 10, "replayer", 0, "the hold", null);

      String taskId = client.createTask(task);
      restart(scenario, mortal);
      assertThat(client.createTask(task)).isEqualTo(taskId);

      Task held = client.holdTasks(hold).get(0);
      restart(scenario, mortal);
      Task heldAgain = client.holdTasks(hold).get(0);
      assertThat(heldAgain.taskId()).isEqualTo(taskId);
      assertThat(heldAgain.leaseEpoch()).isEqualTo(held.leaseEpoch()).isEqualTo(1);

      List<Report> report = List.of(Reports.success(held, "the report"));
      assertThat(client.report(report)).containsExactly(ReportResult.accepted(taskId));
      restart(scenario, mortal);
      assertThat(client.report(report)).containsExactly(ReportResult.alreadyDone(taskId));

      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  private static void restart(Scenario scenario, ServerNode server) {
    scenario.fault(
        "kill and start " + server.name(),
        () -> {
          server.kill();
          server.start();
          server.awaitReady();
        });
  }
}
