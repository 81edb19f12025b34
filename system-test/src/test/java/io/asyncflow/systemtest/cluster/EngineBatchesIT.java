package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.python.Python;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.engine.EngineHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The reference engine behind a worker and a server, run by run and in batches. It is a ratio of
 * two times, taken in turn, the best of several each: the machine's speed cancels out.
 */
@Tag("faults")
class EngineBatchesIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int TASKS = 128;
  private static final int ROUNDS = 4;

  @Test
  void batchesHaveAtLeastOnePointEightTimesTheThroughputOfSingleRuns() throws Exception {
    Python.assumeIsThere(EngineBatchesIT.class);
    try (Cluster cluster = Cluster.startWithoutRedis("batches")) {
      ServerNode server = cluster.startServers(1).get(0);
      FlowClient client = server.client();
      client.saveTaskType(TaskTypeSettings.named("singles"));
      client.saveTaskType(TaskTypeSettings.named("batches"));
      try (EngineHandler engine = engine();
          Worker worker =
              Worker.builder()
                  .url(server.url().toString())
                  .spoolDir(null)
                  .stopsWithTheJvm(false)
                  .slots("cuda:0", 1)
                  .handler("singles", "embed", engine, StageNeeds.slots(1))
                  .batchHandler("batches", "embed", engine, StageNeeds.slots(1))
                  .build()) {
        worker.start();
        Duration singly = timeOf(client, "singles");
        Duration together = timeOf(client, "batches");
        for (int round = 1; round < ROUNDS; round++) {
          singly = shorter(singly, timeOf(client, "singles"));
          together = shorter(together, timeOf(client, "batches"));
        }
        double gain = (double) singly.toNanos() / together.toNanos();
        Figures.print(
            "reference engine in plain Python, one slot: %d tasks one by one %d ms, in batches of"
                + " up to 32 %d ms: %.1f times the throughput",
            TASKS, Figures.ms(singly), Figures.ms(together), gain);
        assertThat(gain).isGreaterThanOrEqualTo(1.8);
      }
    }
  }

  private static EngineHandler engine() {
    Path program =
        Java.home().resolve("worker-example/src/main/resources/engine/reference_engine.py");
    return EngineHandler.builder("python3", program.toString(), "--plain")
        .batches(32, context -> "")
        .build();
  }

  /** How long it takes from the create until the last task is done. */
  private static Duration timeOf(FlowClient client, String type) {
    NewTask task = NewTask.of(type, "embed", "me", "{\"text\":\"A text of a batch.\"}");
    Stopwatch watch = Stopwatch.start();
    List<String> ids = client.createTasks(Collections.nCopies(TASKS, task));
    for (String id : List.of(ids.get(TASKS - 1), ids.get(0))) {
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> client.getTask(id).taskStatus() == TaskStatus.SUCCESS);
    }
    Duration took = watch.elapsed();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                ids.stream().allMatch(id -> client.getTask(id).taskStatus() == TaskStatus.SUCCESS));
    return took;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
