package io.asyncflow.systemtest.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.wire.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers in Python that are killed, stopped and cut off. */
@Tag("faults")
@Timeout(300)
class PythonFaultsIT {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static Cluster cluster;
  private static ServerNode server;
  private static PythonWorkers python;

  @BeforeAll
  static void startCluster() throws Exception {
    Python.assumeIsThere(PythonFaultsIT.class);
    cluster = Cluster.startWithoutRedis("python-faults");
    server = cluster.startServers(1).get(0);
    python = new PythonWorkers(cluster);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void tasksOfAKilledWorkerRunElsewhereAndBurnNoRetry() throws Exception {
    python.configure("killed", 3);
    List<String> tasks = gates("killed", 5);
    WorkerNode victim = python.start("victim", "killed");
    awaitSaid(victim, "gate", tasks);
    victim.kill();
    WorkerNode heir = python.start("heir", "killed");
    python.open("killed");
    for (String task : tasks) {
      Task end = python.end(task, PATIENCE);
      assertThat(end.result()).isEqualTo("by " + heir.pid());
      assertThat(end.leaseEpoch())
          .as("the heir may lose a lease on a busy machine")
          .isGreaterThan(1);
      assertThat(end.crtRetryNum()).isZero();
    }
  }

  @Test
  void whatAKilledWorkerHasSpooledArrivesAfterItsRestart() throws Exception {
    python.configure("spooled", 30); // the handlers end while the leases are still trusted
    try (TcpProxy proxy = TcpProxy.to(server.port())) {
      List<String> tasks = gates("spooled", 5);
      WorkerNode worker = python.start("spooler", "spooled", "http://127.0.0.1:" + proxy.port());
      awaitSaid(worker, "gate", tasks);
      long first = worker.pid();
      proxy.cut();
      python.open("spooled");
      await().atMost(PATIENCE).until(() -> spooled("spooler").size() == tasks.size());
      worker.kill();
      proxy.heal();
      worker.start();
      for (String task : tasks) {
        Task end = python.end(task, PATIENCE);
        assertThat(end.taskStatus()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(end.result()).as("of its first life").isEqualTo("by " + first);
        assertThat(end.leaseEpoch()).isEqualTo(1);
      }
      await().atMost(PATIENCE).until(() -> spooled("spooler").isEmpty());
    }
  }

  @Test
  void stoppedWorkerFindsItsLeasesLostAndNothingOfItCounts() throws Exception {
    python.configure("stopped", 3);
    List<String> tasks = gates("stopped", 5);
    String endless = python.create("stopped", "hang", "{}");
    WorkerNode sleeper = python.start("sleeper", "stopped");
    awaitSaid(sleeper, "gate", tasks);
    awaitSaid(sleeper, "hang", List.of(endless));
    sleeper.pause();
    WorkerNode heir = python.start("taker", "stopped");
    awaitSaid(heir, "hang", List.of(endless));
    python.open("stopped");
    for (String task : tasks) {
      assertThat(python.end(task, PATIENCE).result()).isEqualTo("by " + heir.pid());
    }
    sleeper.resume();
    await().atMost(PATIENCE).until(() -> PythonWorkers.said(sleeper, "stopped", endless));
    sleeper.terminate();
    assertThat(sleeper.awaitEnd(PATIENCE)).isTrue();
    for (String task : tasks) {
      assertThat(python.client().getTask(task).result()).isEqualTo("by " + heir.pid());
    }
    await().atMost(PATIENCE).until(() -> isHeldBy(heir, endless)); // it may lose a lease for once
    assertThat(spooled("sleeper")).isEmpty();
  }

  private static boolean isHeldBy(WorkerNode worker, String taskId) {
    Task task = python.client().getTask(taskId);
    return task.taskStatus() == TaskStatus.EXECUTING && worker.workerId().equals(task.workerId());
  }

  private static List<String> gates(String type, int count) {
    return IntStream.range(0, count).mapToObj(i -> python.create(type, "gate", "{}")).toList();
  }

  private static void awaitSaid(WorkerNode worker, String event, List<String> tasks) {
    await()
        .atMost(PATIENCE)
        .until(() -> tasks.stream().allMatch(task -> PythonWorkers.said(worker, event, task)));
  }

  private static List<Path> spooled(String worker) {
    Path spool = python.spool(worker);
    if (Files.notExists(spool)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(spool)) {
      return files.filter(file -> file.toString().endsWith(".json")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
