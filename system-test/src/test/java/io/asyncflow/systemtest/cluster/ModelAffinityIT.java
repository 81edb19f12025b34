package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Four models, two workers, a server process. What counts is how many runs find their model loaded,
 * so loads are counted and cost no time: the figures are those of any machine.
 */
@Tag("faults")
class ModelAffinityIT {

  private static final List<String> MODELS = List.of("kokoro", "melo", "bark", "xtts");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int BACKLOG = 400;
  private static final int ONE_BY_ONE = 250;

  private static Cluster cluster;
  private static FlowClient client;

  private final List<Worker> workers = new ArrayList<>();
  private final Loads loads = new Loads();

  /** What each slot has loaded, as an engine would that keeps one model. */
  private static final class Loads {

    private record Place(String worker, Slot slot) {}

    private final Map<Place, String> loaded = new HashMap<>();
    private int runs;
    private int found;

    synchronized void run(String worker, StageContext context) {
      Place place = new Place(worker, context.slot().orElseThrow());
      String before = loaded.put(place, context.stage());
      runs++;
      found += context.stage().equals(before) ? 1 : 0;
    }

    synchronized double share() {
      return (double) found / runs;
    }

    synchronized int runs() {
      return runs;
    }
  }

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("affinity");
    client = cluster.startServers(1).get(0).client();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @AfterEach
  void stopWorkers() {
    workers.forEach(Worker::close);
  }

  @Test
  void underLoadNineOfTenRunsFindTheirModel() throws Exception {
    double without = shareOfABacklog("plain", false);
    workers.forEach(Worker::close);
    double with = shareOfABacklog("loaded", true);
    Figures.print(
        "4 models, 2 workers, a backlog of %d tasks: %.0f %% of the runs found their model loaded"
            + " (%.0f %% where the stages name none)",
        BACKLOG, 100 * with, 100 * without);
    assertThat(with).isGreaterThanOrEqualTo(0.9);
  }

  private double shareOfABacklog(String type, boolean named) throws InterruptedException {
    client.saveTaskType(TaskTypeSettings.named(type));
    Loads counted = new Loads();
    List<NewTask> tasks = new ArrayList<>();
    Random random = new Random(7);
    for (int i = 0; i < BACKLOG; i++) {
      String model = MODELS.get(random.nextInt(MODELS.size()));
      tasks.add(NewTask.of(type, model, "me", ""));
    }
    client.createTasks(tasks);
    CountDownLatch done = new CountDownLatch(BACKLOG);
    for (String name : List.of("one", "two")) {
      start(type, name, 1, counted, named, done);
    }
    assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(counted.runs()).isEqualTo(BACKLOG);
    return counted.share();
  }

  @Test
  void withIdleMomentsNineOfTenRunsFindTheirModelAndNoneIsForgotten() {
    String type = "idle";
    client.saveTaskType(TaskTypeSettings.named(type));
    for (String name : List.of("one", "two")) {
      start(type, name, 2, loads, true, new CountDownLatch(0));
    }
    Random random = new Random(7);
    long longest = 0;
    for (int i = 0; i < ONE_BY_ONE; i++) {
      String model = MODELS.get(random.nextInt(MODELS.size()));
      Stopwatch watch = Stopwatch.start();
      String id = client.createTask(NewTask.of(type, model, "me", ""));
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> client.getTask(id).taskStatus() == TaskStatus.SUCCESS);
      longest = Math.max(longest, watch.elapsed().toMillis());
    }
    Figures.print(
        "4 models, 2 workers of 2 slots, %d tasks one after the other: %.0f %% of the runs found"
            + " their model loaded; the longest took %d ms",
        ONE_BY_ONE, 100 * loads.share(), longest);
    assertThat(loads.runs()).isEqualTo(ONE_BY_ONE);
    assertThat(loads.share()).isGreaterThanOrEqualTo(0.9);
  }

  private void start(
      String type, String name, int slots, Loads counted, boolean named, CountDownLatch done) {
    String workerId = type + "-" + name;
    Worker.Builder builder =
        Worker.builder()
            .url(cluster.servers().get(0).url().toString())
            .workerId(workerId)
            .spoolDir(null)
            .slots("cuda:0", slots)
            .stopsWithTheJvm(false);
    for (String model : MODELS) {
      builder.handler(
          type,
          model,
          context -> {
            counted.run(workerId, context);
            done.countDown();
            return StageResult.done();
          },
          StageNeeds.slots(1).loading(named ? model : ""));
    }
    Worker worker = builder.build();
    workers.add(worker);
    worker.start();
  }
}
