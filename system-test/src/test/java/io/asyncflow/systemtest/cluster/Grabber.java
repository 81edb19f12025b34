package io.asyncflow.systemtest.cluster;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.worker.Reports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A client that holds and finishes tasks as fast as it can, until there are none. */
final class Grabber {

  private static final int TASKS_A_HOLD = 10;

  private final FlowClient client;
  private final String taskType;
  private final String name;
  private final CompletableFuture<List<String>> held;

  private Grabber(FlowClient client, String taskType, String name) {
    this.client = client;
    this.taskType = taskType;
    this.name = name;
    this.held = new CompletableFuture<>();
  }

  static Grabber start(Scenario scenario, ServerNode server, String name) {
    Grabber grabber = new Grabber(scenario.client(server), scenario.taskType(), name);
    new Thread(() -> grabber.held.completeAsync(grabber::grab, Runnable::run), name).start();
    return grabber;
  }

  /** Waits for its end and returns what it held. */
  List<String> held() {
    return held.join();
  }

  private List<String> grab() {
    List<String> all = new ArrayList<>();
    while (true) {
      List<Task> tasks =
          client.holdTasks(new HoldRequest(taskType, TASKS_A_HOLD, name, 0, null, null));
      if (tasks.isEmpty()) {
        return all;
      }
      tasks.forEach(task -> all.add(task.taskId()));
      client.report(tasks.stream().map(task -> Reports.success(task, null)).toList());
    }
  }
}
