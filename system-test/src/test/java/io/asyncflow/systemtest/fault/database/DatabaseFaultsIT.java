package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.Node;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.Signals;
import io.asyncflow.systemtest.fault.database.Probe.Call;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.wire.TcpProxy;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database that dies, freezes, or has no connection left. The numbers are rows. */
@Tag("faults")
@Timeout(300)
class DatabaseFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration OUTAGE =
      Duration.ofSeconds(Long.getLong("asyncflow.test.outage", 10));

  /** How soon a call is told that the database cannot do it. */
  private static final Duration REFUSAL = Duration.ofSeconds(3);

  /** How soon after its return all is as before. */
  private static final Duration RECOVERY = Duration.ofSeconds(10);

  private static final Duration LONG_PATIENCE_OF_A_CLIENT = Duration.ofSeconds(60);

  private static Cluster cluster;
  private static TcpProxy wire;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("database-faults");
    wire = TcpProxy.to(cluster.database().endpoint().port());
    String url = cluster.databaseUrlVia(wire);
    servers =
        IntStream.range(0, 2)
            .mapToObj(i -> cluster.launchServer(plan -> plan.withDatabase(url)))
            .toList();
    servers.forEach(ServerNode::awaitReady);
  }

  @AfterAll
  static void stopCluster() {
    wire.close();
    cluster.close();
  }

  @Test
  void row12_databaseThatDiesIsA503AndForgottenWhenItIsBack() {
    List<Long> pids = servers.stream().map(Node::pid).toList();
    try (Scenario scenario = Scenario.of(cluster, "row12", TypePlan.quick())) {
      servers.forEach(scenario::startWorker);
      FlowClient prober = scenario.client(servers.get(1));
      try (Load load = Load.on(scenario, scenario.client(servers.get(0)));
          Probe creates = Probe.start(() -> prober.createTask(scenario.newTask(Script.smooth())))) {
        load.awaitDone(500); // nothing is compiled yet
        final double before = load.perSecond(Duration.ofSeconds(5));
        Stopwatch outage = Stopwatch.start();
        scenario.fault(
            "database killed",
            () -> {
              cluster.database().kill();
              Window.pass(OUTAGE);
              cluster.database().restart();
            });
        final List<Call> during = creates.since(outage.startedAt());
        Duration recovered = load.untilPerSecond(before * 0.9, RECOVERY.multipliedBy(3));

        Figures.print(
            "row 12: database killed for %d s under load; %d of %d creates were refused, the"
                + " slowest answer took %.1f s (target %d s); %.0f tasks/s before, 90 %% of that"
                + " %.1f s after its return (target %d s)",
            OUTAGE.toSeconds(),
            during.stream().filter(call -> call.code() != 0).count(),
            during.size(),
            seconds(Probe.slowest(during)),
            REFUSAL.toSeconds(),
            before,
            seconds(recovered),
            RECOVERY.toSeconds());
        assertThat(Probe.slowest(during)).isLessThan(REFUSAL.multipliedBy(3));
        assertThat(during).extracting(Call::code).contains(ErrorCode.UNAVAILABLE.code());
      }
      scenario.healed();
      scenario.awaitDrained(PATIENCE);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
    assertThat(servers).extracting(Node::pid).isEqualTo(pids);
  }

  @Test
  void row13_databaseThatIsStoppedHoldsUpNobodyPastATimeout() {
    long pid = cluster.database().pid();
    freeze("row13_stopped", () -> Signals.stop(pid), () -> Signals.resume(pid));
  }

  @Test
  void row13_connectionsThatAreHalfOpenHoldUpNobodyPastATimeout() {
    freeze("row13_half_open", wire::freeze, wire::heal);
  }

  private static void freeze(String type, Runnable freezing, Runnable thawing) {
    ServerNode server = servers.get(0);
    try (Scenario scenario = Scenario.of(cluster, type, TypePlan.quick())) {
      scenario.startWorker(servers.get(1));
      FlowClient patient =
          scenario.recorded(new HttpFlowClient(server.url(), null, LONG_PATIENCE_OF_A_CLIENT));
      String task = scenario.create(patient, 1, Script.smooth()).get(0);
      HoldRequest hold = new HoldRequest(type, 1, "prober", 0, null, List.of("no such stage"));
      try (Probe creates =
              Probe.start(() -> patient.createTask(scenario.newTask(Script.smooth())));
          Probe holds = Probe.start(() -> patient.holdTasks(hold));
          Probe reads = Probe.start(() -> patient.getTask(task))) {
        await().atMost(PATIENCE).until(() -> creates.since(0).size() > 5);
        Stopwatch frozen = Stopwatch.start();
        Duration[] unready = new Duration[1];
        scenario.fault(
            type,
            () -> {
              freezing.run();
              await()
                  .atMost(PATIENCE)
                  .until(() -> server.statusOf("/actuator/health/readiness") == 503);
              unready[0] = frozen.elapsed();
              if (frozen.elapsed().compareTo(OUTAGE) < 0) {
                Window.pass(OUTAGE.minus(frozen.elapsed()));
              }
              thawing.run();
            });
        Stopwatch thawed = Stopwatch.start();
        await()
            .atMost(RECOVERY.multipliedBy(3))
            .until(() -> succeedsSince(thawed, creates, holds, reads));
        final Duration recovered = thawed.elapsed();
        long start = frozen.startedAt();
        Figures.print(
            "%s: for %d s; not ready after %.1f s; the slowest create took %d ms, the slowest hold"
                + " %d ms, the slowest read %d ms; all well %d ms after the thaw",
            type.replaceFirst("row13_", "row 13: database ").replace('_', ' '),
            OUTAGE.toSeconds(),
            seconds(unready[0]),
            ms(Probe.slowest(creates.since(start))),
            ms(Probe.slowest(holds.since(start))),
            ms(Probe.slowest(reads.since(start))),
            ms(recovered));
      }
      scenario.healed();
      scenario.awaitDrained(PATIENCE);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  private static boolean succeedsSince(Stopwatch watch, Probe... probes) {
    return List.of(probes).stream()
        .allMatch(
            probe -> probe.since(watch.startedAt()).stream().anyMatch(call -> call.code() == 0));
  }

  /** Creates into a locked table take every connection, and wait; lone ones would share one. */
  @Test
  void row16_exhaustedPoolIsA503AndCostsNoLease() throws SQLException {
    TypePlan plan = TypePlan.quick().withLease(OUTAGE.dividedBy(2));
    int running = 8;
    int greedy = 60;
    ServerNode server = servers.get(0);
    try (Scenario blocked = Scenario.of(cluster, "row16_blocked", TypePlan.quick());
        Scenario scenario = Scenario.of(cluster, "row16", plan)) {
      scenario.startWorker(server, worker -> worker.withRoom(running, 0));
      scenario.create(
          scenario.client(server),
          running,
          Script.smooth().with("a", "SLEEP " + OUTAGE.plusSeconds(5).toMillis(), "OK"));
      await().atMost(PATIENCE).until(() -> scenario.count("beat_time > 0") == running);

      FlowClient client = scenario.client(server);
      FlowClient greedyClient = blocked.client(server);
      List<Probe> hungry;
      Stopwatch watch;
      List<Call> during;
      try (Connection connection = cluster.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("LOCK TABLES t_row16_blocked_task_1 WRITE");
        hungry =
            IntStream.range(0, greedy)
                .mapToObj(
                    i ->
                        Probe.start(
                            () ->
                                greedyClient.createTasks(
                                    List.of(blocked.newTask(Script.smooth())))))
                .toList();
        watch = Stopwatch.start();
        Probe probe = Probe.start(() -> client.createTask(scenario.newTask(Script.smooth())));
        scenario.fault("pool exhausted", List.of(Scenario.CLIENTS), () -> Window.pass(OUTAGE));
        during = probe.since(watch.startedAt());
        probe.close();
        statement.execute("UNLOCK TABLES");
      }
      hungry.stream()
          .map(each -> CompletableFuture.runAsync(each::close, OtherThread::start))
          .toList()
          .forEach(CompletableFuture::join);
      scenario.healed();
      scenario.awaitDrained(PATIENCE);

      Verdict verdict = scenario.verdict();
      Figures.print(
          "row 16: %d clients took all connections for %d s; %d of %d creates were refused, the"
              + " slowest after %d ms (target %d s); %d of %d long runs were repeated",
          greedy,
          OUTAGE.toSeconds(),
          during.stream().filter(call -> call.code() != 0).count(),
          during.size(),
          ms(Probe.slowest(during)),
          REFUSAL.toSeconds(),
          verdict.executions().repeated(),
          running);
      assertThat(Probe.slowest(during)).isLessThan(REFUSAL.multipliedBy(3));
      assertThat(during).extracting(Call::code).contains(ErrorCode.UNAVAILABLE.code());
      assertThat(verdict.executions().repeated()).isZero();
      assertThat(verdict.violations()).isEmpty();
    }
  }
}
