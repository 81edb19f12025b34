package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.FailoverFlowClient;
import io.asyncflow.systemtest.scenario.Onlooker;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.wire.TcpProxy;
import io.asyncflow.systemtest.wire.TcpProxy.Moment;
import io.asyncflow.systemtest.worker.Reports;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Families that roll while everything is against it. The numbers are rows of the matrix. */
@Tag("faults")
@Timeout(300)
class RollingFaultsIT {

  private static final int ROLLS = Integer.getInteger("asyncflow.test.rolls", 40);
  private static final int WORKERS = ROLLS < 1_000 ? 2 : 8;
  private static final int ROWS_A_TABLE = Integer.getInteger("asyncflow.test.rows", 100);
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final String MOVE_END = "SET schedule_end_pos = schedule_end_pos + 1";
  private static final String MOVE_BEGIN = "SET schedule_begin_pos = schedule_begin_pos + 1";

  private static Cluster cluster;
  private static Map<ServerNode, TcpProxy> wires;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("rolling-faults");
    wires = new LinkedHashMap<>();
    for (int i = 0; i < 3; i++) {
      TcpProxy wire = TcpProxy.to(cluster.database().endpoint().port());
      ServerNode server =
          cluster.launchServer(
              plan ->
                  plan.withDatabase(cluster.databaseUrlVia(wire))
                      .withAll(Map.of("FLOW_GOVERNANCE_CLEANINGINTERVAL", "1s")));
      wires.put(server, wire);
    }
    wires.keySet().forEach(ServerNode::awaitReady);
  }

  @AfterAll
  static void stopCluster() {
    wires.values().forEach(TcpProxy::close);
    cluster.close();
  }

  /** Where in the life of a table a server dies. */
  private enum Step {
    TABLE_MADE("CREATE TABLE IF NOT EXISTS t_row21_task_", Moment.BEFORE_ANSWER),
    END_NOT_YET_MOVED(MOVE_END, Moment.BEFORE_REQUEST),
    END_MOVED_UNCOMMITTED(MOVE_END, Moment.BEFORE_ANSWER),
    BEGIN_MOVED_UNCOMMITTED(MOVE_BEGIN, Moment.BEFORE_ANSWER);

    final String statement;
    final Moment moment;

    Step(String statement, Moment moment) {
      this.statement = statement;
      this.moment = moment;
    }
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void row21_serversMayBeKilledAtEveryStepOfARoll() {
    TypePlan plan = TypePlan.quick().withRollThreshold(ROWS_A_TABLE);
    try (Scenario scenario = Scenario.of(cluster, "row21", plan)) {
      List<FlowClient> clients = wires.keySet().stream().map(scenario::client).toList();
      launchWorkers(scenario).forEach(WorkerNode::awaitReady);
      Onlooker onlooker = new Onlooker(scenario, FailoverFlowClient.of(clients), ROLLS);
      final CompletableFuture<Void> looking =
          CompletableFuture.runAsync(onlooker, work -> new Thread(work).start());
      Map<Step, Integer> kills = new ConcurrentSkipListMap<>();
      Stopwatch watch = Stopwatch.start();
      try (Creators creators = new Creators(scenario, clients)) {
        int rounds = Math.max(Step.values().length, ROLLS / 25);
        for (int i = 0; i < rounds; i++) {
          Step step = Step.values()[i % Step.values().length];
          CompletableFuture<Void> killed = killTheFirstAt(step, scenario, kills);
          creators.create(ROLLS / rounds * ROWS_A_TABLE, () -> restartAfter(killed, scenario));
        }
        creators.create((ROLLS % rounds + 2) * ROWS_A_TABLE, () -> restartDead(scenario));
        scenario.healed();
        Duration drainBound = plan.drainBound().plusSeconds(creators.created() / 20);
        scenario.awaitDrained(drainBound);
        awaitBeginAtEnd(scenario.taskType());
        final Duration elapsed = watch.elapsed();
        onlooker.stop();
        looking.join();

        final int end = scenario.position().end();
        final Verdict verdict = scenario.verdict(drainBound);
        final List<Event> refused = refusedCreates(scenario);
        Figures.print(
            "row 21: %s tasks created at %.0f a second and %s rolls while servers were killed at"
                + " %s; %s creates refused by a living server; begin = end = %s after %.0f s; %s of"
                + " %s executions repeated; %s",
            creators.created(),
            creators.perSecond(),
            end - 1,
            kills,
            refused.size(),
            end,
            seconds(elapsed),
            verdict.executions().repeated(),
            verdict.executions().all(),
            verdict.violations().isEmpty() ? "nothing violated" : verdict.violations());
        assertThat(scenario.count("status = 4")).isEqualTo(creators.created());
        assertThat(end).isGreaterThan(ROLLS);
        assertThat(tablesOf("row21")).containsAll(numbers(1, end)).isSubsetOf(numbers(1, end + 1));
        assertThat(verdict.violations()).isEmpty();
        // At most by a machine that is too slow for its database, never for want of a table.
        assertThat(refused).allMatch(event -> event.code() == ErrorCode.UNAVAILABLE.code());
        dropOldTables("row21", end);
      }
    }
  }

  private static List<WorkerNode> launchWorkers(Scenario scenario) {
    List<ServerNode> servers = List.copyOf(wires.keySet());
    return IntStream.range(0, WORKERS)
        .mapToObj(i -> scenario.launchWorker(servers.get(i % servers.size())))
        .toList();
  }

  /** Whichever server comes to the step first dies there, and who comes at the same moment. */
  private static CompletableFuture<Void> killTheFirstAt(
      Step step, Scenario scenario, Map<Step, Integer> kills) {
    CompletableFuture<Void> killed = new CompletableFuture<>();
    wires.forEach(
        (server, wire) ->
            wire.trapStatement(
                step.statement,
                step.moment,
                1,
                () -> {
                  wires.values().forEach(TcpProxy::disarm);
                  scenario.fault("kill " + server.name() + " at " + step, server::kill);
                  kills.merge(step, 1, Integer::sum);
                  killed.complete(null);
                }));
    return killed;
  }

  private static void restartAfter(CompletableFuture<Void> killed, Scenario scenario) {
    await().atMost(PATIENCE).until(killed::isDone);
    restartDead(scenario);
  }

  private static void restartDead(Scenario scenario) {
    for (ServerNode server : wires.keySet()) {
      if (!server.isAlive()) {
        scenario.fault(
            "start " + server.name(),
            () -> {
              server.start();
              server.awaitReady();
            });
      }
    }
  }

  private static void awaitBeginAtEnd(String type) {
    await()
        .atMost(PATIENCE)
        .until(() -> positionOf(type), position -> position.begin() == position.end());
  }

  private static Audit.Position positionOf(String type) {
    try (Connection connection = cluster.connect()) {
      return Audit.position(connection, type);
    } catch (SQLException e) {
      throw new IllegalStateException("the position of " + type + " cannot be read", e);
    }
  }

  /** Creates that a server has answered, and not with the tasks. */
  private static List<Event> refusedCreates(Scenario scenario) {
    return scenario.history().events().stream()
        .filter(event -> event.act() == Act.CREATE && event.code() != null)
        .toList();
  }

  private static void dropOldTables(String type, int end) {
    anyServer().post("/api/task_schedule_cfg/save?taskType=" + type + "&retentionDays=1");
    Stopwatch watch = Stopwatch.start();
    await()
        .atMost(PATIENCE.multipliedBy(5))
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              letADayPass(type);
              return tablesOf(type).first() == end;
            });
    Figures.print(
        "row 21: its %s drained tables were given up and dropped within %.1f s of the end of their"
            + " retention",
        end - 1, seconds(watch.elapsed()));
  }

  @Test
  void row22_beginWaitsForACreatorThatIsStillOnItsWay() {
    ServerNode leader = Term.awaitOneThatLives(cluster).server(wires.keySet());
    ServerNode slow =
        wires.keySet().stream()
            .filter(server -> server != leader && server != anyServer())
            .findFirst()
            .orElseThrow();
    try (Scenario scenario = Scenario.of(cluster, "row22", TypePlan.quick())) {
      FlowClient client = scenario.client(leader);
      scenario.create(client, 3, Script.smooth());
      finishAll(scenario, client);
      TcpProxy wire = wires.get(slow);
      wire.holdUpStatement(
          "INSERT INTO t_row22_task_1",
          Moment.BEFORE_ANSWER,
          1,
          () -> scenario.fault("stop " + slow.name() + " before its commit", slow::pause));
      CompletableFuture<List<String>> creating =
          CompletableFuture.supplyAsync(
              () -> scenario.create(scenario.client(slow), 1, Script.smooth()), OtherThread::start);
      await().atMost(PATIENCE).until(wire::hasSprung);

      roll(leader, "row22");
      List<String> others = scenario.create(client, 1, Script.smooth());
      awaitADrainOfAll(leader);
      assertThat(scenario.position().begin()).isEqualTo(1);
      scenario.fault("continue " + slow.name(), slow::resume);
      final List<String> created = creating.join();
      awaitADrainOfAll(leader);
      assertThat(scenario.position().begin()).isEqualTo(1);
      finishAll(scenario, client);
      awaitBeginAtEnd(scenario.taskType());

      assertThat(created).allMatch(id -> id.endsWith("_row22_task_1"));
      assertThat(others).allMatch(id -> id.endsWith("_row22_task_2"));
      assertThat(scenario.verdict().violations()).isEmpty();
      Figures.print(
          "row 22: a server was stopped between its insert and its commit; begin waited for it, and"
              + " creates elsewhere went on");
    } finally {
      slow.resume();
    }
  }

  @Test
  void row22_beginWaitsForALateRetry() {
    ServerNode leader = Term.awaitOneThatLives(cluster).server(wires.keySet());
    try (Scenario scenario = Scenario.of(cluster, "row22_retry", TypePlan.quick())) {
      FlowClient client = scenario.client(leader);
      scenario.create(client, 3, Script.smooth());
      Task late = hold(scenario, client, 1).get(0);
      finishAll(scenario, client);
      roll(leader, "row22_retry");
      awaitADrainOfAll(leader);
      assertThat(scenario.position().begin()).isEqualTo(1);

      assertThat(client.report(List.of(retryAtOnce(late)))).allMatch(ReportResult::stands);
      awaitADrainOfAll(leader);
      assertThat(scenario.position().begin()).isEqualTo(1);
      finishAll(scenario, client);
      awaitBeginAtEnd(scenario.taskType());

      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  private static Report retryAtOnce(Task task) {
    return Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.RETRY)
        .withErrMsg("late")
        .withRetryAfterMs(0L);
  }

  @Test
  void row23_ofTwoServersThatRollAtOnceOneDoes() {
    List<ServerNode> servers = List.copyOf(wires.keySet());
    ServerNode late = servers.get(0);
    ServerNode early = servers.get(1);
    int rounds = 5;
    try (Scenario scenario = Scenario.of(cluster, "row23", TypePlan.quick())) {
      for (int end = 1; end <= rounds; end++) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        wires
            .get(late)
            .holdUpStatement(
                MOVE_END,
                Moment.BEFORE_REQUEST,
                1,
                () -> answer.completeAsync(() -> roll(early, "row23"), Runnable::run));
        roll(late, "row23");

        assertThat(answer.join()).contains("t_row23_task_" + (end + 1));
        assertThat(scenario.position().end()).isEqualTo(end + 1);
      }
      assertThat(tablesOf("row23")).isEqualTo(numbers(1, rounds + 1));
      for (ServerNode server : servers) {
        assertThat(scenario.create(scenario.client(server), 1, Script.smooth()))
            .allMatch(id -> id.endsWith("_row23_task_" + (rounds + 1)));
      }
      Figures.print(
          "row 23: %s times two servers had made the next table and moved to it at once; it was one"
              + " table a number",
          rounds);
    }
  }

  @Test
  void row23_createsGoOnWhileTheNextTableCannotBeMade() {
    List<ServerNode> servers = List.copyOf(wires.keySet());
    TypePlan plan = TypePlan.quick().withRollThreshold(ROWS_A_TABLE);
    try (Scenario scenario = Scenario.of(cluster, "row23_ddl", plan)) {
      List<FlowClient> clients = servers.stream().map(scenario::client).toList();
      execute("CREATE VIEW t_row23_ddl_task_2 AS SELECT 1 AS id");
      try (Creators creators = new Creators(scenario, clients)) {
        creators.create(5 * ROWS_A_TABLE, () -> {});
        assertThat(scenario.position().end()).isEqualTo(1);
        assertThat(scenario.count("status = 1")).isEqualTo(5 * ROWS_A_TABLE);

        execute("DROP VIEW t_row23_ddl_task_2");
        execute("CREATE TABLE t_row23_ddl_task_3 (id BIGINT NOT NULL PRIMARY KEY)");
        creators.create(3 * ROWS_A_TABLE, () -> {});
      }
      assertThat(refusedCreates(scenario)).isEmpty();
      assertThat(scenario.position().end()).isGreaterThanOrEqualTo(3);
      scenario.startWorker(servers.get(0));
      scenario.awaitDrained(PATIENCE);
      assertThat(scenario.verdict().violations()).isEmpty();
      Figures.print(
          "row 23: with a view in the place of the next table the last one took more, with a table"
              + " of another shape in the place of the one after that it was brought to the"
              + " template; no create refused");
    }
  }

  /** Which is the one that scenarios configure their types at. */
  private static ServerNode anyServer() {
    return wires.keySet().iterator().next();
  }

  private static String roll(ServerNode server, String type) {
    return server.post("/api/task_schedule_cfg/roll?taskType=" + type);
  }

  private static List<Task> hold(Scenario scenario, FlowClient client, int limit) {
    return client.holdTasks(new HoldRequest(scenario.taskType(), limit, "holder", 0, null, null));
  }

  /** By a client that holds them and reports success. */
  private static void finishAll(Scenario scenario, FlowClient client) {
    for (List<Task> held = hold(scenario, client, 100);
        !held.isEmpty();
        held = hold(scenario, client, 100)) {
      List<Report> reports = held.stream().map(task -> Reports.success(task, null)).toList();
      assertThat(client.report(reports)).allMatch(ReportResult::stands);
    }
  }

  /**
   * Returns when the leader has been through all families once: another one, whose tables are empty
   * and which it has rolled itself, was drained twice.
   */
  private static void awaitADrainOfAll(ServerNode leader) {
    leader.post("/api/task_schedule_cfg/save?taskType=clock");
    for (int i = 0; i < 2; i++) {
      roll(leader, "clock");
      awaitBeginAtEnd("clock");
    }
  }

  /** For the tables of a type, on the clock of the database. */
  private static void letADayPass(String type) {
    long day = TimeUnit.DAYS.toMillis(1);
    execute(
        "UPDATE t_task_table SET drain_time = drain_time - %s, drop_time = drop_time - %s"
                .formatted(day, day)
            + " WHERE task_type = '"
            + type
            + "'");
  }

  private static void execute(String sql) {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** The numbers of the tables that are there. */
  private static SortedSet<Integer> tablesOf(String type) {
    String prefix = "t_" + type + "_task_";
    String sql =
        """
        SELECT SUBSTRING(table_name, %s)
        FROM information_schema.tables
        WHERE table_schema = DATABASE()
          AND table_name RLIKE '^%s[0-9]+$'
        """
            .formatted(prefix.length() + 1, prefix);
    SortedSet<Integer> numbers = new TreeSet<>();
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        numbers.add(rows.getInt(1));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
    return numbers;
  }

  private static SortedSet<Integer> numbers(int first, int last) {
    return new TreeSet<>(IntStream.rangeClosed(first, last).boxed().toList());
  }
}
