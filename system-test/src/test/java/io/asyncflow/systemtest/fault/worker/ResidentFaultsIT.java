package io.asyncflow.systemtest.fault.worker;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.Node;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task that runs for years, kept running by a schedule. The number is a row. */
@Tag("faults")
@Timeout(300)
class ResidentFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration OUTAGE = Duration.ofSeconds(10);
  private static final Duration THIRTY_YEARS = Duration.ofSeconds(946_080_000);
  private static final Duration AFTER = Duration.ofSeconds(1);

  /** The lease, one sweep, the pause of the schedule, and one second. */
  private static final Duration BACK = TypePlan.quick().lease().plusSeconds(2).plus(AFTER);

  private static final String TYPE = "row42";

  /** The only stage that a run has. */
  private static final String STAGE = "c";

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("resident-faults");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  /** The task of the type that has not ended. */
  private record Resident(String taskId, int epoch, String worker) {}

  @Test
  void row42_residentTaskIsBackAfterEachDeathAndNeverRunsTwice() {
    TypePlan plan = TypePlan.quick().withMaxProcessingTime(THIRTY_YEARS);
    try (Scenario scenario = Scenario.of(cluster, TYPE, plan)) {
      servers.forEach(scenario::startWorker);
      FlowClient client = scenario.client(servers.get(0));
      client
          .schedules()
          .save(
              NewSchedule.after(TYPE, AFTER)
                  .creating(
                      NewTask.of(TYPE, STAGE, "ops", Script.smooth().with(STAGE, "HANG").json())));
      Resident first = awaitRunning(0);

      List<Duration> back = new ArrayList<>();
      back.add(backAfter(scenario, "worker", this::restartedWorker));
      back.add(backAfter(scenario, "server", r -> restarted(servers.get(0))));
      back.add(backAfter(scenario, "database", r -> databaseOutage()));
      back.add(backAfter(scenario, "worker", this::restartedWorker));
      back.add(backAfter(scenario, "server", r -> restarted(servers.get(1))));
      Resident last = awaitRunning(0);
      assertThat(last.taskId()).isEqualTo(first.taskId());

      client.cancelTask(last.taskId());
      Stopwatch cancelled = Stopwatch.start();
      await().atMost(PATIENCE).until(() -> !awaitRunning(0).taskId().equals(last.taskId()));
      Figures.print(
          "row 42: a resident task whose worker, server and database were killed, five times in"
              + " all, was held again after %s s (target %.0f s); after a cancel another ran %.1f s"
              + " later; no two holders at once",
          back.stream().map(time -> String.format(Locale.ROOT, "%.1f", seconds(time))).toList(),
          seconds(BACK),
          seconds(cancelled.elapsed()));
      assertThat(back).allMatch(time -> time.compareTo(BACK.multipliedBy(3)) < 0);
      assertEachEpochRanOnce(scenario);
    }
  }

  private interface Kill {
    /** Kills something that the task depends on, and starts it again. */
    void of(Resident running);
  }

  /** Since the kill, or since the return of the database, until the task was held anew. */
  private Duration backAfter(Scenario scenario, String what, Kill kill) {
    Resident before = awaitRunning(0);
    Stopwatch watch = Stopwatch.start();
    scenario.fault(what + " killed", () -> kill.of(before));
    Stopwatch returned = Stopwatch.start();
    Resident after = awaitRunning(what.equals("worker") ? before.epoch() + 1 : before.epoch());
    assertThat(after.epoch()).isGreaterThanOrEqualTo(before.epoch());
    return what.equals("worker") ? watch.elapsed() : returned.elapsed();
  }

  private void restartedWorker(Resident running) {
    restarted(
        cluster.workers().stream()
            .filter(worker -> worker.workerId().equals(running.worker()))
            .findFirst()
            .orElseThrow());
  }

  private static void restarted(Node node) {
    node.kill();
    node.start();
    node.awaitReady();
  }

  private static void databaseOutage() {
    cluster.database().kill();
    Window.pass(OUTAGE);
    cluster.database().restart();
  }

  /** Waits until a worker holds the task under a live lease and an epoch of at least this. */
  private static Resident awaitRunning(int epoch) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .until(() -> running(), held -> held.size() == 1 && held.get(0).epoch() >= epoch)
        .get(0);
  }

  /** The holds with a live lease; never more than one. */
  private static List<Resident> running() throws SQLException {
    List<Resident> held = new ArrayList<>();
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                SELECT id, lease_epoch, worker_id
                FROM t_row42_task_1
                WHERE status = 2
                  AND lease_end > FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000)
                """)) {
      while (rows.next()) {
        held.add(
            new Resident(rows.getLong(1) + "_row42_task_1", rows.getInt(2), rows.getString(3)));
      }
    }
    return held;
  }

  /** Each hold ran on one worker, and a later one never began before an earlier one. */
  private static void assertEachEpochRanOnce(Scenario scenario) {
    // A run is recorded by its worker, a moment after the hold.
    await().atMost(PATIENCE).until(() -> runsByTask(scenario).size() == 2);
    runsByTask(scenario)
        .values()
        .forEach(
            ofTask ->
                assertThat(ofTask).extracting(Event::epoch).isSorted().doesNotHaveDuplicates());
    assertThat(scenario.count("status IN (1, 2)")).isEqualTo(1);
  }

  private static Map<String, List<Event>> runsByTask(Scenario scenario) {
    return scenario.history().events().stream()
        .filter(event -> event.act() == Act.RUN && event.phase() == Phase.INVOKE)
        .sorted(Comparator.comparingLong(Event::at))
        .collect(groupingBy(Event::task));
  }
}
