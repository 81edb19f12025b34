package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.python.Python;
import io.asyncflow.systemtest.python.PythonWorkers;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A database that writes nothing for longer than a lease. Runs of the worker in Java, of the one in
 * Python and of plain calls go on; a worker that died meanwhile is found. The numbers are rows.
 */
@Tag("faults")
@Timeout(600)
class OutageIT {

  private static final Duration OUTAGE =
      Duration.ofSeconds(Long.getLong("asyncflow.test.outage", 12));

  private static final Duration LEASE = OUTAGE.multipliedBy(2).dividedBy(3);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How soon after the outage a worker that died in it is found: the lease, a sweep, a second. */
  private static final Duration RESCUE = LEASE.plusSeconds(2);

  private static final int TASKS = 4;

  private static Cluster cluster;
  private static List<ServerNode> servers;
  private static PythonWorkers python;

  /** Begins or ends an outage. */
  private interface Step {
    void run() throws SQLException;
  }

  @BeforeAll
  static void startCluster() throws Exception {
    Python.assumeIsThere(OutageIT.class);
    cluster = Cluster.startWithoutRedis("outage");
    // Who may do everything may also write to a database that is read-only.
    execute("CREATE USER 'ordinary'@'%' IDENTIFIED BY 'ordinary'");
    execute("GRANT ALL ON asyncflow.* TO 'ordinary'@'%'");
    Map<String, String> ordinary =
        Map.of("FLOW_MYSQL_USER", "ordinary", "FLOW_MYSQL_PASSWORD", "ordinary");
    servers =
        IntStream.range(0, 2)
            .mapToObj(i -> cluster.launchServer(plan -> plan.withAll(ordinary)))
            .toList();
    servers.forEach(ServerNode::awaitReady);
    python = new PythonWorkers(cluster);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void row47_databaseThatIsReadOnlyCostsNoRunOfALiveWorker() throws Exception {
    survive(
        "row47_read_only",
        () -> execute("SET GLOBAL read_only = 1"),
        () -> execute("SET GLOBAL read_only = 0"));
  }

  @Test
  void row47_databaseWhoseWritesHangCostsNoRunOfALiveWorker() throws Exception {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      survive(
          "row47_locked",
          () -> statement.execute("FLUSH TABLES WITH READ LOCK"),
          () -> statement.execute("UNLOCK TABLES"));
    }
  }

  @Test
  void row47_databaseThatDiesAndComesBackCostsNoRunOfALiveWorker() throws Exception {
    survive("row47_killed", () -> cluster.database().kill(), () -> cluster.database().restart());
  }

  private static void survive(String type, Step begin, Step end) throws Exception {
    TypePlan plan = TypePlan.quick().withLease(LEASE).withMaxProcessingTime(LONG);
    try (Scenario scenario = Scenario.of(cluster, type, plan);
        Scenario orphaned = Scenario.of(cluster, type + "_orphaned", plan);
        Plain plain = Plain.hold(type + "_plain")) {
      WorkerNode pythonWorker = startPython(type + "_python");
      List<String> gates =
          IntStream.range(0, TASKS)
              .mapToObj(i -> python.create(type + "_python", "gate", "{}"))
              .toList();
      WorkerNode victim = orphaned.startWorker(servers.get(1));
      orphaned.create(
          orphaned.client(servers.get(0)), TASKS, Script.smooth().with("a", "HANG", "OK"));
      scenario.startWorker(servers.get(0));
      scenario.create(
          scenario.client(servers.get(0)),
          TASKS,
          Script.smooth().with("a", "SLEEP " + OUTAGE.plusSeconds(8).toMillis(), "OK"));
      for (Scenario each : List.of(scenario, orphaned)) {
        await()
            .atMost(PATIENCE)
            .until(() -> each.count("status = 2 AND task_stage = 'a'") == TASKS);
      }
      await()
          .atMost(PATIENCE)
          .until(() -> gates.stream().allMatch(id -> PythonWorkers.said(pythonWorker, "gate", id)));

      orphaned.fault(
          "killed in the outage",
          List.of(victim.workerId()),
          () -> scenario.fault("no writes", () -> outage(begin, victim, end)));
      Stopwatch ended = Stopwatch.start();
      await().atMost(RESCUE.multipliedBy(3)).until(() -> orphaned.count("status = 2") == 0);
      final Duration found = ended.elapsed();
      await().atMost(PATIENCE).until(() -> plain.isHeardSince(ended.startedAt()));
      plain.finish();
      python.open(type + "_python");
      orphaned.startWorker(servers.get(0));
      for (Scenario each : List.of(scenario, orphaned)) {
        each.healed();
        each.awaitDrained(PATIENCE);
        assertThat(each.verdict().violations()).isEmpty();
      }

      int lost = scenario.count("schedule_log LIKE '%WORKER_LOST%' OR lease_epoch <> 3");
      List<Task> others =
          Stream.concat(plain.ids().stream(), gates.stream()).map(OutageIT::end).toList();
      Figures.print(
          "row 47: %s for %d s with leases of %d s: of %d runs that live workers had (Java, Python,"
              + " plain calls) %d were lost; those of a worker that was killed meanwhile were free"
              + " %.1f s after the outage (target %d s)",
          type.replaceFirst("row47_", "database ").replace('_', ' '),
          OUTAGE.toSeconds(),
          LEASE.toSeconds(),
          3 * TASKS,
          lost + others.stream().filter(task -> task.leaseEpoch() > 1).count(),
          seconds(found),
          RESCUE.toSeconds());
      assertThat(lost).as("of the worker in Java").isZero();
      assertThat(others)
          .allSatisfy(
              task -> {
                assertThat(task.taskStatus()).isEqualTo(TaskStatus.SUCCESS);
                assertThat(task.leaseEpoch()).as(task.taskId()).isEqualTo(1);
              });
      assertThat(orphaned.count("schedule_log LIKE '%WORKER_LOST%'")).isEqualTo(TASKS);
    }
  }

  private static void outage(Step begin, WorkerNode victim, Step end) {
    try {
      begin.run();
      Window.pass(OUTAGE.dividedBy(2));
      victim.kill();
      Window.pass(OUTAGE.dividedBy(2));
      end.run();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static WorkerNode startPython(String type) {
    saveType(type);
    return python.start(type, type);
  }

  private static void saveType(String type) {
    python
        .client()
        .saveTaskType(
            TaskTypeSettings.named(type)
                .withScheduleLimit(100)
                .withMaxProcessingTime((int) LONG.toSeconds())
                .withLeaseSeconds((int) LEASE.toSeconds()));
  }

  private static Task end(String taskId) {
    try {
      return python.end(taskId, PATIENCE);
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A worker of plain calls, which sends a heartbeat each third of the lease and repeats none. */
  private static final class Plain implements AutoCloseable {

    private static final String ID = "plain";

    private final FlowClient client =
        new HttpFlowClient(servers.get(1).url(), null, Duration.ofSeconds(3));
    private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor();
    private final List<Task> held;
    private volatile long heardAt;

    private Plain(String type) {
      saveType(type);
      for (int i = 0; i < TASKS; i++) {
        client.createTask(NewTask.of(type, "one", "plain", "{}"));
      }
      held = client.holdTasks(new HoldRequest(type, TASKS, ID, 5_000, null, List.of("one")));
      long third = LEASE.dividedBy(3).toMillis();
      heart.scheduleAtFixedRate(this::beat, third, third, TimeUnit.MILLISECONDS);
    }

    static Plain hold(String type) {
      return new Plain(type);
    }

    private void beat() {
      long start = System.nanoTime();
      try {
        client.heartbeat(
            new Heartbeat(
                ID,
                held.stream()
                    .map(task -> new HeldTask(task.taskId(), task.leaseEpoch(), null))
                    .toList()));
        heardAt = start;
      } catch (FlowException e) {
        System.out.println("a plain heartbeat failed: " + e.getMessage());
      }
    }

    boolean isHeardSince(long moment) {
      return heardAt - moment > 0;
    }

    List<String> ids() {
      return held.stream().map(Task::taskId).toList();
    }

    void finish() {
      assertThat(held).hasSize(TASKS);
      List<ReportResult> results =
          client.report(
              held.stream()
                  .map(task -> Report.of(task.taskId(), ID, task.leaseEpoch(), Outcome.SUCCESS))
                  .toList());
      assertThat(results).allMatch(ReportResult::stands);
    }

    @Override
    public void close() {
      heart.shutdownNow();
    }
  }
}
