package io.asyncflow.systemtest.fault.worker;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Starts;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.CrashPoint;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that die, stop, or meet tasks that kill them. The numbers are rows of the matrix. */
@Tag("faults")
@Timeout(300)
class WorkerFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The lease, one sweep, and one second. */
  private static final Duration RESCUE = TypePlan.quick().lease().plusSeconds(2);

  private static Cluster cluster;
  private static ServerNode server;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("worker-faults");
    server = cluster.startServers(1).get(0);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void row1_workerKilledMidStageLosesNothing() {
    int tasks = 200;
    try (Scenario scenario = Scenario.of(cluster, "row1", TypePlan.quick())) {
      WorkerNode victim = scenario.startWorker(server);
      scenario.startWorker(server);
      scenario.create(scenario.client(server), tasks, Script.smooth().with("b", "SLEEP 200"));
      await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > tasks / 4);
      String its = "status = 2 AND worker_id = '" + victim.workerId() + "'";

      Stopwatch watch = Stopwatch.start();
      victim.kill();
      final int orphans = scenario.count(its);
      await().atMost(RESCUE.multipliedBy(3)).until(() -> scenario.count(its) == 0);
      Figures.print(
          "row 1: worker killed -9 mid-stage; its %d tasks were free after %.1f s (target %.0f s)",
          orphans, seconds(watch.elapsed()), seconds(RESCUE));
      scenario.awaitDrained(PATIENCE);
      assertThat(scenario.count("crt_retry_num > 0")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void row2_workerMayDieAtAnyPointOfItsLoop(CrashPoint point) {
    int tasks = 8;
    String type = "row2_" + point.name().toLowerCase(Locale.ROOT);
    try (Scenario scenario = Scenario.of(cluster, type, TypePlan.quick())) {
      WorkerNode victim = scenario.launchWorker(server, worker -> worker.dyingAt(point));
      scenario.create(scenario.client(server), tasks, Script.smooth());
      assertThat(victim.awaitEnd(PATIENCE)).isTrue();

      Stopwatch watch = Stopwatch.start();
      scenario.startWorker(server);
      scenario.awaitDrained(RESCUE.multipliedBy(3).plusSeconds(10));
      Figures.print(
          "row 2: worker died at %s; all its tasks were done %.1f s later",
          point, seconds(watch.elapsed()));
      assertThat(scenario.count("crt_retry_num > 0")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Test
  void row3_stoppedWorkerFindsEveryReportRefusedAndItsHandlersInterrupted() {
    int tasks = 8;
    TypePlan plan = TypePlan.quick();
    try (Scenario scenario = Scenario.of(cluster, "row3", plan)) {
      WorkerNode sleeper = scenario.startWorker(server, worker -> worker.withRoom(tasks, 0));
      // Half of them are done the moment the worker wakes up, the others would go on for ever.
      scenario.create(
          scenario.client(server),
          tasks,
          i -> Script.smooth().with("a", i % 2 == 0 ? "SLEEP 4000" : "HANG", "OK"));
      await().atMost(PATIENCE).until(() -> Starts.of(scenario, 1).count() == tasks);
      scenario.startWorker(server);

      scenario.fault(
          "stop " + sleeper.name(),
          List.of(sleeper.workerId()),
          () -> {
            sleeper.pause();
            scenario.awaitDrained(PATIENCE);
          });
      List<String> before = rows(scenario);
      Stopwatch watch = Stopwatch.start();
      sleeper.resume();
      await().atMost(PATIENCE).until(() -> endsOf(scenario, sleeper).size() == tasks);
      Duration ended = watch.until(last(endsOf(scenario, sleeper)));
      // Whoever has ended reports nothing more.
      sleeper.terminate();
      assertThat(sleeper.awaitEnd(PATIENCE)).isTrue();

      List<Event> reports = reportsOf(scenario, sleeper);
      Figures.print(
          "row 3: worker stopped until its tasks were done elsewhere; its %d handlers ended within"
              + " %d ms of SIGCONT, %d reports were refused, none accepted",
          tasks, ended.toMillis(), reports.size());
      assertThat(reports).noneMatch(report -> report.phase() == Phase.OK);
      // The stop may cut the connection of one, which is sent again by the same key.
      assertThat(lastOfEachKey(reports))
          .allMatch(report -> report.phase() == Phase.FAIL)
          .extracting(Event::code)
          .isSubsetOf(lost());
      assertThat(endsOf(scenario, sleeper).stream().filter(end -> end.phase() == Phase.FAIL))
          .as("interrupted handlers")
          .hasSizeGreaterThanOrEqualTo(tasks / 2);
      assertThat(rows(scenario)).isEqualTo(before);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Test
  void row19_poisonIsQuarantinedWithItsReasonAndSparesTheOthers() {
    int others = 200;
    TypePlan plan =
        TypePlan.quick().withMaxDelivery(5).withMaxProcessingTime(Duration.ofSeconds(8));
    try (Scenario scenario = Scenario.of(cluster, "row19", plan)) {
      List<WorkerNode> workers =
          List.of(
              scenario.startWorker(server),
              scenario.startWorker(server),
              scenario.startWorker(server));
      FlowClient client = scenario.client(server);
      Script ordinary = Script.smooth().with("b", "SLEEP 20");
      List<String> before = scenario.create(client, others, ordinary);
      scenario.awaitDrained(PATIENCE);

      Stopwatch watch = Stopwatch.start();
      String halt = scenario.create(client, 1, Script.smooth().with("a", "EXIT")).get(0);
      String exit = scenario.create(client, 1, Script.smooth().with("b", "SYSTEM_EXIT")).get(0);
      String memory = scenario.create(client, 1, Script.smooth().with("b", "OOM")).get(0);
      String loop = scenario.create(client, 1, Script.smooth().with("c", "SPIN")).get(0);
      // Who is held together with the poison, again and again, must not share its fate.
      List<String> beside = scenario.create(client, others, ordinary);
      await()
          .atMost(Duration.ofSeconds(200))
          .pollInterval(Duration.ofMillis(200))
          .until(
              () -> {
                workers.stream().filter(worker -> !worker.isAlive()).forEach(WorkerNode::start);
                return scenario.count("status IN (1, 2, 32)") == 0;
              });
      Figures.print(
          "row 19: four kinds of poison quarantined within %.1f s; the p99 of %d other tasks was %.1f s"
              + " without them and %.1f s beside them",
          seconds(watch.elapsed()),
          others,
          seconds(Lives.of(scenario, before).p99()),
          seconds(Lives.of(scenario, beside).p99()));
      assertThat(scenario.count("status = 4")).isEqualTo(2 * others);
      assertThat(client.getTask(halt).scheduleLog()).contains("poison");
      assertThat(client.getTask(exit).scheduleLog()).contains("the handler called System.exit");
      // Whether the worker lives to tell depends on which of its threads runs out first.
      assertThat(client.getTask(memory).scheduleLog()).containsAnyOf("OutOfMemoryError", "poison");
      assertThat(client.getTask(loop).scheduleLog()).contains("timed out");
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  @Test
  void row27_unreadableTaskIsSetAsideAndTheBatchGoesOn() {
    int others = 20;
    try (Scenario scenario = Scenario.of(cluster, "row27", TypePlan.quick())) {
      FlowClient client = scenario.client(server);
      List<String> tasks = scenario.create(client, others + 3, Script.smooth());
      String context = tasks.get(0);
      String log = tasks.get(1);
      String stage = tasks.get(2);
      scenario.change("task_context = '{broken'", context);
      scenario.change("schedule_log = '{broken'", log);
      scenario.change("task_stage = 'unheard of'", stage);
      scenario.startWorker(server);
      await().atMost(PATIENCE).until(() -> scenario.count("status IN (1, 2, 32)") <= 1);

      assertThat(scenario.count("status = 4")).isEqualTo(others + 1);
      assertThat(client.getTask(context).status()).isEqualTo(8);
      assertThat(client.getTask(context).scheduleLog()).contains("context");
      assertThat(client.getTask(log).status()).isEqualTo(4);
      assertThat(client.getTask(stage).status()).isEqualTo(1);
      Figures.print(
          "row 27: a context that is no JSON failed for good, a log that is none was replaced,"
              + " a stage without a handler waits for one; %d others done",
          others);
    }
  }

  private static Set<Integer> lost() {
    return Set.of(ErrorCode.LEASE_LOST.code(), ErrorCode.TRANSITION_NOT_ALLOWED.code());
  }

  private static List<Event> endsOf(Scenario scenario, WorkerNode worker) {
    return scenario.history().events().stream()
        .filter(event -> event.act() == Act.RUN && event.phase() != Phase.INVOKE)
        .filter(event -> event.process().equals(worker.workerId()))
        .toList();
  }

  private static long last(List<Event> events) {
    return events.get(events.size() - 1).at();
  }

  private static List<Event> reportsOf(Scenario scenario, WorkerNode worker) {
    return scenario.history().events().stream()
        .filter(event -> event.act() == Act.REPORT && event.phase() != Phase.INVOKE)
        .filter(event -> event.process().equals(worker.workerId()))
        .toList();
  }

  private static Collection<Event> lastOfEachKey(List<Event> reports) {
    Map<String, Event> last = new LinkedHashMap<>();
    reports.forEach(report -> last.put(report.key(), report));
    return last.values();
  }

  private static List<String> rows(Scenario scenario) {
    return scenario.audit().rows().stream().map(String::valueOf).sorted().toList();
  }
}
