package io.asyncflow.systemtest.python;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.WorkerNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** Workers in Python on a cluster: processes whose handlers do what their tasks say. */
public final class PythonWorkers {

  private static final String READY = "polls";

  private final Cluster cluster;
  private final FlowClient client;
  private final Path program;

  public PythonWorkers(Cluster cluster) {
    this.cluster = cluster;
    this.client = cluster.servers().get(0).client();
    this.program = cluster.directory().resolve("scripted_worker.py");
    try (InputStream in = getClass().getResourceAsStream("/python/scripted_worker.py")) {
      Files.copy(in, program, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public FlowClient client() {
    return client;
  }

  /** A type with leases of so many seconds, whose stages are retried at once. */
  public void configure(String type, int lease) {
    client.saveTaskType(
        TaskTypeSettings.named(type)
            .withScheduleLimit(100)
            .withScheduleInterval(5)
            .withMaxProcessingTime(60)
            .withMaxRetryNum(3)
            .withRetryInterval(0)
            .withLeaseSeconds(lease)
            .withMaxDelivery(10));
  }

  public WorkerNode start(String name, String type) {
    return start(name, type, cluster.servers().get(0).url().toString());
  }

  /** Starts a worker that reaches the server at an address of its own. */
  WorkerNode start(String name, String type, String url) {
    Map<String, String> variables = new HashMap<>();
    variables.put("PYTHONPATH", Python.sdk().toString());
    variables.put("FLOW_URL", url);
    variables.put("FLOW_API_KEY", "");
    variables.put("WORKER_NAME", name);
    variables.put("TASK_TYPE", type);
    variables.put("SPOOL", spool(name).toString());
    variables.put("GATE", gate(type).toString());
    List<String> command = List.of("python3", program.toString());
    WorkerNode worker = cluster.launchProgram(name, command, variables, READY);
    worker.awaitReady();
    return worker;
  }

  Path spool(String name) {
    return cluster.directory().resolve("spool-" + name);
  }

  private Path gate(String type) {
    return cluster.directory().resolve("gate-" + type);
  }

  /** Lets the tasks of stage gate end. */
  public void open(String type) throws IOException {
    Files.createFile(gate(type));
  }

  public String create(String type, String stage, String context) {
    return client.createTask(NewTask.of(type, stage, "python", context));
  }

  public Task end(String taskId, Duration patience) throws InterruptedException, TimeoutException {
    return new TaskFollower(client).follow(taskId, patience);
  }

  /** Whether a worker has said this of a task. */
  public static boolean said(WorkerNode worker, String event, String taskId) {
    return worker.hasPrinted("{\"event\": \"" + event + "\", \"task\": \"" + taskId + "\"");
  }
}
