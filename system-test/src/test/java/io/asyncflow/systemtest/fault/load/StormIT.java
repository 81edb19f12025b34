package io.asyncflow.systemtest.fault.load;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many workers with nothing to do, and what they ask of the database. The number is a row. */
@Tag("faults")
@Timeout(300)
class StormIT {

  private static final int WORKERS = Integer.getInteger("asyncflow.test.workers", 500);
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration LOOK = Duration.ofSeconds(5);

  @Test
  void row20_manyIdleWorkersAskLittleEvenWhenAllComeBackAtOnce() {
    try (Cluster cluster = Cluster.startWithoutRedis("row20")) {
      ServerNode server = cluster.startServers(1).get(0);
      TypePlan plan = TypePlan.quick().withLongPoll(Duration.ofSeconds(20));
      try (Scenario scenario = Scenario.of(cluster, "row20", plan)) {
        // One client for all: what a worker does is of interest here, and not what a JVM does.
        FlowClient shared = scenario.recorded(server.client());
        List<Worker> workers = start(shared, scenario.taskType());
        try {
          runOneTask(scenario, server);
          double idle = statementsASecond(cluster);
          Duration one = runOneTask(scenario, server);

          scenario.fault(
              "restart the server",
              () -> {
                server.kill();
                server.start();
                server.awaitReady();
              });
          double back = statementsASecond(cluster);
          Duration another = runOneTask(scenario, server);
          stop(workers);
          workers = start(shared, scenario.taskType());
          double anew = statementsASecond(cluster);

          Figures.print(
              "row 20: %d idle workers asked the database %.0f statements/s, %.0f when their server"
                  + " was back and %.0f when all were started at once; one task was done after %d ms,"
                  + " and %d ms after the restart",
              WORKERS, idle, back, anew, ms(one), ms(another));
          assertThat(List.of(idle, back, anew)).allMatch(statements -> statements < 10 * WORKERS);
        } finally {
          stop(workers);
        }
        assertThat(scenario.verdict().violations()).isEmpty();
      }
    }
  }

  private static List<Worker> start(FlowClient client, String taskType) {
    List<Worker> workers =
        IntStream.range(0, WORKERS)
            .mapToObj(
                i ->
                    Worker.builder()
                        .client(client)
                        .threads(1)
                        .prefetch(0)
                        .stopsWithTheJvm(false)
                        .handler(taskType, "a", context -> StageResult.done("done"))
                        .build())
            .toList();
    workers.forEach(Worker::start);
    return workers;
  }

  private static void stop(List<Worker> workers) {
    ExecutorService threads = Executors.newFixedThreadPool(100);
    try {
      workers.stream()
          .map(worker -> CompletableFuture.runAsync(() -> worker.stop(Duration.ZERO), threads))
          .toList()
          .forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  private static Duration runOneTask(Scenario scenario, ServerNode server) {
    Stopwatch watch = Stopwatch.start();
    scenario.create(scenario.client(server), 1, Script.smooth());
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> scenario.count("status IN (1, 2, 32)") == 0);
    return watch.elapsed();
  }

  /** Of all that the server asks, its own jobs included. */
  private static double statementsASecond(Cluster cluster) {
    long before = statements(cluster);
    Stopwatch watch = Stopwatch.start();
    Window.pass(LOOK);
    return (statements(cluster) - before) / seconds(watch.elapsed());
  }

  private static long statements(Cluster cluster) {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
