package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.wire.TcpProxy;
import io.asyncflow.systemtest.wire.TcpProxy.Moment;
import io.asyncflow.systemtest.worker.Reports;
import io.asyncflow.systemtest.worker.Script;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that die or leave in the middle of a call. The numbers are rows of the matrix. */
@Tag("faults")
@Timeout(300)
class ServerFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CREATE = "POST /api/task/createTask ";
  private static final String HOLD = "POST /api/task/hold_task";
  private static final String REPORT = "POST /api/task/set_tasks";

  private static Cluster cluster;
  private static ServerNode mortal;
  private static ServerNode other;
  private static TcpProxy wire;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("server-faults");
    List<ServerNode> servers = cluster.startServers(2);
    mortal = servers.get(0);
    other = servers.get(1);
    wire = TcpProxy.to(mortal.port());
  }

  @AfterAll
  static void stopCluster() {
    wire.close();
    cluster.close();
  }

  /** A client of the mortal server whose wire has traps. */
  private static FlowClient throughTheWire(Scenario scenario) {
    URI url = URI.create("http://127.0.0.1:" + wire.port());
    return scenario.recorded(new HttpFlowClient(url, null));
  }

  /** Leases that outlast a restart, so that a replay finds what it replays. */
  private static TypePlan patient() {
    return TypePlan.quick()
        .withLease(Duration.ofSeconds(60))
        .withMaxProcessingTime(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @EnumSource
  void row4_serverMayBeKilledAtAnyPointOfCreateHoldAndReport(Moment moment) {
    String type = "row4_" + moment.name().toLowerCase(Locale.ROOT);
    try (Scenario scenario = Scenario.of(cluster, type, patient())) {
      FlowClient client = throughTheWire(scenario);
      FlowClient elsewhere = scenario.client(other);
      NewTask task = scenario.newTask(Script.smooth());
      HoldRequest hold = new HoldRequest(type, 10, "holder", 0, "the hold", null);

      killAt(scenario, CREATE, moment, () -> client.createTask(task));
      String taskId = elsewhere.createTask(task);
      comeBack(scenario);
      assertThat(client.createTask(task)).isEqualTo(taskId);

      killAt(scenario, HOLD, moment, () -> client.holdTasks(hold));
      Task held = elsewhere.holdTasks(hold).get(0);
      comeBack(scenario);
      assertThat(held.leaseEpoch()).isEqualTo(1);
      assertThat(client.holdTasks(hold)).extracting(Task::leaseEpoch).containsExactly(1);

      List<Report> report = List.of(Reports.success(held, "the report"));
      killAt(scenario, REPORT, moment, () -> client.report(report));
      assertThat(elsewhere.report(report)).allMatch(ReportResult::stands);
      comeBack(scenario);
      assertThat(client.report(report)).containsExactly(ReportResult.alreadyDone(taskId));

      assertThat(scenario.audit().rows()).hasSize(1);
      assertThat(scenario.verdict().violations()).isEmpty();
      Figures.print(
          "row 4: server killed -9 %s of a create, a hold and a report; each replay converged",
          moment);
    }
  }

  @Test
  void row4_killedServerComesBackWithEverythingThatWasAcknowledged() {
    int tasks = 2_000;
    try (Scenario scenario = Scenario.of(cluster, "row4_reborn", TypePlan.quick())) {
      IntStream.range(0, 2).forEach(i -> scenario.startWorker(mortal));
      FlowClient client = scenario.client(mortal);
      CompletableFuture<List<String>> created =
          CompletableFuture.supplyAsync(
              () -> scenario.createOneByOne(client, tasks, Script.smooth()), OtherThread::start);
      for (int kills = 1; kills <= 2; kills++) {
        int enough = kills * tasks / 4;
        await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > enough);
        Stopwatch watch = Stopwatch.start();
        scenario.fault("kill " + mortal.name(), mortal::kill);
        comeBack(scenario);
        Figures.print(
            "row 4: server killed -9 under load is back after %.1f s", seconds(watch.elapsed()));
      }
      assertThat(created.join()).doesNotHaveDuplicates().hasSize(tasks);
      scenario.healed();
      scenario.awaitDrained(PATIENCE);

      Verdict verdict = scenario.verdict();
      Figures.print(
          "row 4: server killed -9 twice under load: %d of %d tasks done, %d of %d executions repeated",
          scenario.count("status = 4"),
          tasks,
          verdict.executions().repeated(),
          verdict.executions().all());
      assertThat(verdict.violations()).isEmpty();
      assertThat(scenario.count("status = 4")).isEqualTo(tasks);
    }
  }

  private static void killAt(Scenario scenario, String call, Moment moment, Runnable work) {
    wire.trap(call, moment, 1, () -> scenario.fault("kill " + mortal.name(), mortal::kill));
    assertThatThrownBy(work::run).isInstanceOf(FlowUnreachableException.class);
    assertThat(wire.hasSprung()).isTrue();
  }

  private static void comeBack(Scenario scenario) {
    wire.heal();
    scenario.fault(
        "start " + mortal.name(),
        () -> {
          mortal.start();
          mortal.awaitReady();
        });
  }

  @Test
  void row5_swallowedAnswersAreRepeatedWithoutHarm() {
    try (Scenario scenario = Scenario.of(cluster, "row5", patient())) {
      FlowClient client = throughTheWire(scenario);
      HoldRequest hold = new HoldRequest("row5", 10, "holder", 0, "the hold", null);
      NewTask task = scenario.newTask(Script.smooth());

      swallow(scenario, CREATE, () -> client.createTask(task));
      String taskId = client.createTask(task);
      swallow(scenario, HOLD, () -> client.holdTasks(hold));
      Task held = client.holdTasks(hold).get(0);
      List<Report> report = List.of(Reports.success(held, "the report"));
      swallow(scenario, REPORT, () -> client.report(report));

      assertThat(held.taskId()).isEqualTo(taskId);
      assertThat(held.leaseEpoch()).isEqualTo(1);
      assertThat(client.report(report)).containsExactly(ReportResult.alreadyDone(taskId));
      assertThat(scenario.audit().rows()).hasSize(1);
      assertThat(scenario.verdict().violations()).isEmpty();
      Figures.print("row 5: answers of create, hold and report swallowed; each replay converged");
    }
  }

  private static void swallow(Scenario scenario, String call, Runnable work) {
    scenario.fault(
        "swallow the answer of " + call,
        () -> {
          wire.swallowAnswers(call, 1);
          assertThatThrownBy(work::run).isInstanceOf(FlowUnreachableException.class);
        });
    assertThat(wire.hasSprung()).isTrue();
  }

  @Test
  void row5_workersSurviveAnswersThatAreSwallowedAgainAndAgain() {
    int tasks = 300;
    try (Scenario scenario = Scenario.of(cluster, "row5_workers", TypePlan.quick())) {
      String url = "http://127.0.0.1:" + wire.port();
      scenario.startWorker(mortal, worker -> worker.at(url));
      scenario.startWorker(mortal, worker -> worker.at(url));
      scenario.fault(
          "swallow every fourth answer of a hold or report",
          () -> {
            scenario.create(scenario.client(mortal), tasks, Script.smooth());
            for (int i = 0; scenario.count("status IN (1, 2, 32)") > 0; i++) {
              String call = i % 2 == 0 ? HOLD : REPORT;
              wire.swallowAnswers(call, 1);
              await()
                  .atMost(PATIENCE)
                  .until(() -> wire.hasSprung() || scenario.count("status IN (1, 2, 32)") == 0);
            }
            wire.heal();
          });
      assertThat(scenario.count("status = 4")).isEqualTo(tasks);
      assertThat(scenario.count("crt_retry_num > 0")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Test
  void row26_rollingRestartUnderLoadBurnsNothingAndShowsNoError() {
    int tasks = 1_500;
    TcpProxy front = TcpProxy.to(mortal.port());
    try (Scenario scenario = Scenario.of(cluster, "row26", TypePlan.quick())) {
      String url = "http://127.0.0.1:" + front.port();
      WorkerNode leaver = scenario.startWorker(mortal, worker -> worker.at(url));
      scenario.startWorker(mortal, worker -> worker.at(url));
      FlowClient client = scenario.recorded(new HttpFlowClient(URI.create(url), null));
      CompletableFuture<List<String>> created =
          CompletableFuture.supplyAsync(
              () -> scenario.createOneByOne(client, tasks, Script.smooth()), OtherThread::start);
      await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > 50);

      roll(scenario, front, mortal, other);
      leaver.terminate();
      assertThat(leaver.awaitEnd(PATIENCE)).isTrue();
      leaver.start();
      roll(scenario, front, other, mortal);
      assertThat(created.join()).hasSize(tasks);
      scenario.awaitDrained(PATIENCE);

      assertThat(scenario.count("crt_retry_num > 0")).isZero();
      assertThat(scenario.history().events())
          .filteredOn(event -> Objects.requireNonNullElse(event.code(), 0) >= 8090)
          .as("5xx")
          .isEmpty();
      assertThat(scenario.verdict().violations()).isEmpty();
    } finally {
      front.close();
    }
  }

  /** As a load balancer does it: first new connections go elsewhere, then the server is told. */
  private static void roll(Scenario scenario, TcpProxy front, ServerNode leaving, ServerNode next) {
    Stopwatch watch = Stopwatch.start();
    scenario.fault(
        "restart " + leaving.name(),
        () -> {
          front.redirect(next.port());
          leaving.terminate();
          assertThat(leaving.awaitEnd(PATIENCE)).isTrue();
        });
    Figures.print(
        "row 26: server with parked holds ended %.1f s after SIGTERM", seconds(watch.elapsed()));
    leaving.start();
    leaving.awaitReady();
  }
}
