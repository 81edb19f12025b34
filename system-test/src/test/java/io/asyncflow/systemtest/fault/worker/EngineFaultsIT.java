package io.asyncflow.systemtest.fault.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.python.Python;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.engine.EngineHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Engines that are killed, stopped, in an endless loop, or out of memory: their tasks go on, their
 * slots serve again or are left alone for a while, and nobody else is troubled.
 */
@Tag("faults")
class EngineFaultsIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longer than a busy machine keeps a process from speaking. */
  private static final Duration SILENCE = Duration.ofSeconds(8);

  private static final String NO_DEVICE = "none";

  private static Cluster cluster;
  private static ServerNode server;
  private static FlowClient client;

  private final List<Worker> workers = new ArrayList<>();
  private final List<EngineHandler> engines = new ArrayList<>();
  private Path program;
  private String type;

  @TempDir Path marks;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("engines");
    server = cluster.startServers(1).get(0);
    client = server.client();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void writeProgram() throws Exception {
    Python.assumeIsThere(EngineFaultsIT.class);
    program = marks.resolve("faulty_engine.py");
    try (InputStream in = getClass().getResourceAsStream("/engine/faulty_engine.py")) {
      Files.copy(in, program);
    }
  }

  @AfterEach
  void stop() {
    workers.forEach(worker -> worker.stop(Duration.ZERO));
    engines.forEach(EngineHandler::close);
  }

  @Test
  void whatBefallsOneEngineIsNoMatterOfTheOthers() throws Exception {
    configure("engines");
    start("one", NO_DEVICE, Map.of("cuda:0", 3));
    start("two", NO_DEVICE, Map.of("cuda:0", 1, "cuda:1", 1));
    String bystander = create("HOLD");
    long untouched = awaitProcessOf(bystander);
    String killed = create("WAIT");
    String stopped = create("WAIT");
    String looping = create("LOOP");
    String eating = create("EAT");
    Map<String, Long> first =
        Map.of(
            killed, awaitProcessOf(killed),
            stopped, awaitProcessOf(stopped),
            looping, awaitProcessOf(looping),
            eating, awaitProcessOf(eating));

    signal("-KILL", first.get(killed));
    signal("-STOP", first.get(stopped));

    first.forEach(
        (task, process) -> {
          awaitSuccess(task);
          assertThat(client.getTask(task).leaseEpoch()).isEqualTo(2);
          assertThat(processIn(client.getTask(task))).isNotEqualTo(process);
          await().atMost(PATIENCE).until(() -> !isAlive(process));
        });
    assertThat(List.of(killed, eating))
        .as("the machine's fault: no attempt is counted")
        .allMatch(task -> client.getTask(task).crtRetryNum() == 0);
    assertThat(List.of(stopped, looping))
        .as("who says nothing may be the cause of it")
        .allMatch(task -> client.getTask(task).crtRetryNum() == 1);

    assertThat(client.getTask(bystander).taskStatus()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(isAlive(untouched)).isTrue();
    Files.createFile(marks.resolve("release"));
    awaitSuccess(bystander);
    assertThat(client.getTask(bystander).leaseEpoch()).isEqualTo(1);
    assertThat(processIn(client.getTask(bystander))).isEqualTo(untouched);

    IntStream.range(0, 30).mapToObj(i -> create("OK")).toList().forEach(this::awaitSuccess);
    await()
        .atMost(PATIENCE)
        .until(() -> workers.stream().mapToInt(worker -> worker.view().freeSlots()).sum() == 5);
    assertThat(workers).allMatch(worker -> worker.view().quarantined().isEmpty());
  }

  @Test
  void slotWithoutMemoryIsLeftAloneAndItsTasksGoOnElsewhere() {
    configure("devices");
    Worker halfBroken = start("three", "cuda:1", Map.of("cuda:0", 1, "cuda:1", 1));
    start("four", NO_DEVICE, Map.of("cuda:0", 1));
    // Slow ones, so that the other slots are busy when the broken one is free.
    List<String> tasks = IntStream.range(0, 40).mapToObj(i -> create("SLOW")).toList();
    await().atMost(PATIENCE).until(() -> !halfBroken.view().quarantined().isEmpty());

    tasks.forEach(this::awaitSuccess);
    assertThat(tasks.stream().map(task -> client.getTask(task).result()))
        .noneMatch(result -> result.startsWith("three cuda:1/"))
        .anyMatch(result -> result.startsWith("three cuda:0/0"));
    assertThat(tasks.stream().mapToInt(task -> client.getTask(task).leaseEpoch() - 1).sum())
        .as("runs that did not find their memory")
        .isGreaterThanOrEqualTo(3);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                server.post("/api/worker/list?limit=10").contains("\"quarantined\":\"cuda:1/0\""));
  }

  /** A run may last longer than any of these tests, on whatever machine: one waits for the rest. */
  private void configure(String name) {
    type = name;
    client.saveTaskType(
        TaskTypeSettings.named(type)
            .withScheduleLimit(100)
            .withScheduleInterval(10)
            .withMaxProcessingTime(600)
            .withMaxRetryNum(3)
            .withRetryInterval(0)
            .withLeaseSeconds(60)
            .withMaxDelivery(10));
  }

  private Worker start(String name, String brokenDevice, Map<String, Integer> slots) {
    EngineHandler engine =
        EngineHandler.builder("python3", program.toString(), marks.toString(), brokenDevice)
            .environment("WORKER", name)
            .silence(SILENCE)
            .build();
    engines.add(engine);
    Worker.Builder builder =
        Worker.builder()
            .url(server.url().toString())
            .workerId(type + "-" + name)
            .spoolDir(null)
            .stopsWithTheJvm(false)
            .handler(type, "run", engine, true);
    slots.forEach(builder::slots);
    Worker worker = builder.build();
    workers.add(worker);
    worker.start();
    return worker;
  }

  private String create(String act) {
    return client.createTask(NewTask.of(type, "run", "me", act));
  }

  private void awaitSuccess(String task) {
    await().atMost(PATIENCE).until(() -> client.getTask(task).taskStatus() == TaskStatus.SUCCESS);
  }

  /** The process of the task's first run, which has begun. */
  private long awaitProcessOf(String task) throws IOException {
    Path mark = marks.resolve(task);
    await().atMost(PATIENCE).until(() -> Files.exists(mark));
    return Long.parseLong(Files.readString(mark));
  }

  private static long processIn(Task task) {
    return Long.parseLong(task.result().substring(task.result().lastIndexOf(' ') + 1));
  }

  private static boolean isAlive(long process) {
    return ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false);
  }

  private static void signal(String signal, long process) throws Exception {
    Process kill = new ProcessBuilder("kill", signal, String.valueOf(process)).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }
}
