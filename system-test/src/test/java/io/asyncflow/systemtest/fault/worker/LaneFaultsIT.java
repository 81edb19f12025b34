package io.asyncflow.systemtest.fault.worker;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that are taken from the worker that runs them. The number is a row. */
@Tag("faults")
@Timeout(300)
class LaneFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TASKS = 12;

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("lane-faults");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void row40_workerThatIsTakenOutEndsItsRunsAndIsRefusedWhateverStateItIsIn() {
    TypePlan plan = TypePlan.quick();
    try (Scenario scenario = Scenario.of(cluster, "row40", plan)) {
      WorkerNode outsider =
          scenario.startWorker(servers.get(0), worker -> worker.withRoom(TASKS, 0));
      WorkerNode insider =
          scenario.startWorker(servers.get(1), worker -> worker.withRoom(TASKS, 0));
      FlowClient client = scenario.client(servers.get(1));
      List<String> tasks = started(scenario, client, "8000", outsider);
      List<String> moved = tasks.subList(0, TASKS / 2);
      List<String> restarted = tasks.subList(TASKS / 2, TASKS);
      List<String> movedWhileStopped;

      Duration ended;
      int heldWithoutName;
      try (Strangers strangers = new Strangers(scenario.taskType())) {
        Stopwatch watch = Stopwatch.start();
        moved.forEach(task -> client.setWorkers(task, List.of(insider.workerId())));
        restarted.forEach(client::restartTask);
        await().atMost(PATIENCE).until(() -> endsOf(scenario, outsider, 1).size() == TASKS);
        ended = watch.until(last(endsOf(scenario, outsider, 1)));
        scenario.awaitDrained(PATIENCE);

        movedWhileStopped = started(scenario, client, "1000", outsider);
        scenario.fault(
            "take tasks from " + outsider.name() + ", which is stopped",
            List.of(outsider.workerId()),
            () -> {
              outsider.pause();
              movedWhileStopped.forEach(
                  task -> client.setWorkers(task, List.of(insider.workerId())));
              scenario.awaitDrained(PATIENCE);
              Window.pass(Duration.ofSeconds(1)); // until its runs are done, when it wakes up
            });
        outsider.resume();
        await().atMost(PATIENCE).until(() -> endsOf(scenario, outsider, 1).size() == 2 * TASKS);
        outsider.terminate();
        assertThat(outsider.awaitEnd(PATIENCE)).isTrue();
        heldWithoutName = strangers.held();
      }
      Figures.print(
          "row 40: %d tasks taken from the worker that ran them, by setWorkers, by restart, and while it"
              + " was stopped; its handlers ended within %.1f s (target %.1f s), %d reports of it were"
              + " refused, none accepted, and %d tasks held without a workerId",
          2 * TASKS,
          seconds(ended),
          seconds(plan.lease().dividedBy(5)),
          refusedOf(scenario, outsider).size(),
          heldWithoutName);
      assertThat(heldWithoutName).isZero();
      assertThat(refusedOf(scenario, outsider))
          .extracting(Event::code)
          .isSubsetOf(ErrorCode.LEASE_LOST.code(), ErrorCode.TRANSITION_NOT_ALLOWED.code());
      assertThat(runsOf(scenario, moved)).allMatch(isFirstOr(outsider, insider));
      assertThat(runsOf(scenario, movedWhileStopped)).allMatch(isFirstOr(outsider, insider));
      assertThat(runsOf(scenario, restarted))
          .allMatch(run -> run.process().equals(outsider.workerId()));
      assertThat(scenario.count("crt_retry_num > 0 OR delivery_count > 1")).isZero();
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }

  /**
   * Tasks for one worker, which runs them: half of them for so many milliseconds, the others for
   * ever, unless they are taken from it. Another run of them is done at once.
   */
  private static List<String> started(
      Scenario scenario, FlowClient client, String ms, WorkerNode worker) {
    List<NewTask> tasks =
        IntStream.range(0, TASKS)
            .mapToObj(i -> Script.smooth().with("a", i % 2 == 0 ? "SLEEP " + ms : "HANG", "OK"))
            .map(script -> scenario.newTask(script).withWorkerIds(List.of(worker.workerId())))
            .toList();
    List<String> ids = scenario.create(client, tasks);
    await()
        .atMost(PATIENCE)
        .until(
            () -> runsOf(scenario, ids).stream().filter(run -> run.epoch() == 1).count() == TASKS);
    return ids;
  }

  private static Predicate<Event> isFirstOr(WorkerNode first, WorkerNode then) {
    return run -> run.process().equals(run.epoch() == 1 ? first.workerId() : then.workerId());
  }

  private static List<Event> runsOf(Scenario scenario, List<String> tasks) {
    return events(scenario, Act.RUN)
        .filter(event -> event.phase() == Phase.INVOKE && tasks.contains(event.task()))
        .toList();
  }

  private static List<Event> endsOf(Scenario scenario, WorkerNode worker, int epoch) {
    return events(scenario, Act.RUN)
        .filter(event -> event.phase() != Phase.INVOKE && event.process().equals(worker.workerId()))
        .filter(event -> event.epoch() == epoch)
        .toList();
  }

  private static List<Event> refusedOf(Scenario scenario, WorkerNode worker) {
    return events(scenario, Act.REPORT)
        .filter(event -> event.phase() == Phase.FAIL && event.process().equals(worker.workerId()))
        .toList();
  }

  private static Stream<Event> events(Scenario scenario, Act act) {
    return scenario.history().events().stream().filter(event -> event.act() == act);
  }

  private static long last(List<Event> events) {
    return events.get(events.size() - 1).at();
  }

  /** Clients that hold without a {@code workerId}, as curl does, until they are closed. */
  private static final class Strangers implements AutoCloseable {

    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicInteger held = new AtomicInteger();
    private final List<CompletableFuture<Void>> all;

    Strangers(String type) {
      all =
          servers.stream()
              .map(
                  server ->
                      CompletableFuture.runAsync(() -> hold(server, type), OtherThread::start))
              .toList();
    }

    private void hold(ServerNode server, String type) {
      while (!isOver.get()) {
        held.addAndGet(
            server
                .client()
                .holdTasks(new HoldRequest(type, 10, null, 200, null, List.of()))
                .size());
      }
    }

    int held() {
      return held.get();
    }

    @Override
    public void close() {
      isOver.set(true);
      all.forEach(CompletableFuture::join);
    }
  }
}
