package io.asyncflow.systemtest.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.WorkerNode;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker in Python, as a process, on a real server. */
@Timeout(300)
class PythonWorkerIT {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Long enough that no run on a busy machine loses its lease. */
  private static final int LEASE_SECONDS = 30;

  private static Cluster cluster;
  private static PythonWorkers python;

  @BeforeAll
  static void startCluster() throws Exception {
    Python.assumeIsThere(PythonWorkerIT.class);
    cluster = Cluster.startWithoutRedis("python");
    cluster.startServers(1);
    python = new PythonWorkers(cluster);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void threeStagesWithABatchAmongThemRunToTheirEnd() throws Exception {
    python.configure("stages", LEASE_SECONDS);
    List<String> tasks =
        IntStream.range(0, 30)
            .mapToObj(i -> python.create("stages", "first", "{\"length\":" + (i + 1) + "}"))
            .toList();
    WorkerNode worker = python.start("stager", "stages");
    for (int i = 0; i < tasks.size(); i++) {
      Task end = python.end(tasks.get(i), PATIENCE);
      assertThat(end.taskStatus()).isEqualTo(TaskStatus.SUCCESS);
      assertThat(end.result()).isEqualTo("é".repeat(i + 1) + "!");
      assertThat(end.leaseEpoch()).as("each stage was held once").isEqualTo(3);
      assertThat(end.workerId()).isEqualTo(worker.workerId());
    }
    assertThat(IntStream.rangeClosed(2, 10).anyMatch(n -> worker.hasPrinted("\"size\": " + n)))
        .as("some tasks shared a batch")
        .isTrue();
  }

  @Test
  void failedAttemptIsRetriedAndExplained() throws Exception {
    python.configure("retries", LEASE_SECONDS);
    String task = python.create("retries", "first", "{\"fails\":2}");
    WorkerNode worker = python.start("retrier", "retries");
    assertThat(python.end(task, PATIENCE).taskStatus()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(worker.hasPrinted("\"attempt\": 3")).isTrue();
    String lost = python.create("retries", "first", "{\"fails\":9}");
    Task end = python.end(lost, PATIENCE);
    assertThat(end.taskStatus()).isEqualTo(TaskStatus.FAILED);
    assertThat(end.scheduleLog()).contains("OSError: told to fail");
  }

  @Test
  void largeTextsGoThroughTheContextStore() throws Exception {
    python.configure("large", LEASE_SECONDS);
    String task = python.create("large", "first", "{\"length\":300000}");
    python.start("hauler", "large");
    Task end = python.end(task, PATIENCE);
    assertThat(end.result()).startsWith("{\"$stored\":\"" + task + "/last/3/_result\"");
    assertThat(python.client().store().textOf(end.result())).isEqualTo("é".repeat(300_000) + "!");
  }

  @Test
  void handlersLearnThatTheirTasksWereCancelled() {
    python.configure("cancels", 3); // heartbeats, which tell it, are frequent
    String blocking = python.create("cancels", "hang", "{}");
    String dozing = python.create("cancels", "doze", "{}");
    WorkerNode worker = python.start("canceller", "cancels");
    await().atMost(PATIENCE).until(() -> PythonWorkers.said(worker, "hang", blocking));
    await().atMost(PATIENCE).until(() -> PythonWorkers.said(worker, "doze", dozing));
    python.client().cancelTask(blocking, "test", "enough");
    python.client().cancelTask(dozing, "test", "enough");
    await().atMost(PATIENCE).until(() -> PythonWorkers.said(worker, "stopped", blocking));
    await().atMost(PATIENCE).until(() -> PythonWorkers.said(worker, "woken", dozing));
    assertThat(python.client().getTask(blocking).taskStatus()).isEqualTo(TaskStatus.CANCELLED);
    assertThat(python.client().getTask(blocking).result()).isNull();
  }

  @Test
  void whatHandlersLogCallAndCreateIsInTheTraceOfTheCreate() throws Exception {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    String ofCreate = "00-" + trace + "-b7ad6b7169203331-01";
    String ofSpan = "00-" + trace + "-00f067aa0ba902b7-01";
    python.configure("traces", LEASE_SECONDS);
    FlowClient traced = cluster.servers().get(0).client().withTraceParentFrom(() -> ofCreate);
    WorkerNode worker = python.start("tracer", "traces");
    for (String span : new String[] {null, ofSpan}) {
      String context = span == null ? "{}" : "{\"span\":\"" + span + "\"}";
      String task = traced.createTask(NewTask.of("traces", "traced", "python", context));
      assertThat(python.end(task, PATIENCE).taskStatus()).isEqualTo(TaskStatus.SUCCESS);
      for (String how : List.of("called", "reported")) {
        Task made = python.client().getTask("traces", how + " by " + task);
        assertThat(made.traceParent()).as(how).isEqualTo(span == null ? ofCreate : span);
      }
    }
    assertThat(worker.hasPrinted("INFO [traced " + trace + "] runs")).isTrue();
  }

  @Test
  void terminatedWorkerReleasesWhatItCannotFinishAndEndsWell() throws Exception {
    python.configure("drains", LEASE_SECONDS);
    String endless = python.create("drains", "doze", "{}");
    WorkerNode worker = python.start("leaver", "drains");
    await().atMost(PATIENCE).until(() -> PythonWorkers.said(worker, "doze", endless));
    worker.terminate();
    assertThat(worker.awaitEnd(PATIENCE)).isTrue();
    assertThat(worker.exitCode()).isZero();
    assertThat(worker.hasPrinted("nothing is left behind")).isTrue();
    Task released = python.client().getTask(endless);
    assertThat(released.taskStatus()).isEqualTo(TaskStatus.WAITING);
    assertThat(released.crtRetryNum()).isZero();
    assertThat(released.deliveryCount()).isZero();
  }
}
