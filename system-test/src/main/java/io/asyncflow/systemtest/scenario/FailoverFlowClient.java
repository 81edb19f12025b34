package io.asyncflow.systemtest.scenario;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Several servers as one: stays with a server as long as it answers, and asks the next one the next
 * time when it does not. Thread-safe.
 */
public final class FailoverFlowClient implements FlowClient {

  private final List<FlowClient> clients;
  private final AtomicInteger failures = new AtomicInteger();

  public FailoverFlowClient(List<FlowClient> clients) {
    this.clients = List.copyOf(clients);
  }

  private <T> T ask(Function<FlowClient, T> call) {
    int seen = failures.get();
    try {
      return call.apply(clients.get(seen % clients.size()));
    } catch (FlowException e) {
      if (e.retryable()) {
        failures.compareAndSet(seen, seen + 1);
      }
      throw e;
    }
  }

  @Override
  public String createTask(NewTask task) {
    return ask(client -> client.createTask(task));
  }

  @Override
  public List<String> createTasks(List<NewTask> tasks) {
    return ask(client -> client.createTasks(tasks));
  }

  @Override
  public Task getTask(String taskId) {
    return ask(client -> client.getTask(taskId));
  }

  @Override
  public List<Task> holdTasks(HoldRequest request) {
    return ask(client -> client.holdTasks(request));
  }

  @Override
  public HoldAnswer holdTasks(HoldRequest request, List<Report> reports) {
    return ask(client -> client.holdTasks(request, reports));
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    return ask(client -> client.report(reports));
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return ask(client -> client.heartbeat(heartbeat));
  }

  @Override
  public List<TaskTypeSettings> taskTypes() {
    return ask(FlowClient::taskTypes);
  }

  @Override
  public void saveTaskType(TaskTypeSettings settings) {
    ask(
        client -> {
          client.saveTaskType(settings);
          return null;
        });
  }
}
