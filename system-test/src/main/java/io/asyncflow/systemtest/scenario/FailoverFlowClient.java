package io.asyncflow.systemtest.scenario;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import java.io.Reader;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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

  private void tell(Consumer<FlowClient> call) {
    ask(
        client -> {
          call.accept(client);
          return null;
        });
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
  public HoldAnswer hold(HoldRequest request) {
    return ask(client -> client.hold(request));
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
    tell(client -> client.saveTaskType(settings));
  }

  @Override
  public JobClient jobs() {
    return new Jobs();
  }

  private final class Jobs implements JobClient {

    @Override
    public String createJob(NewJob job) {
      return ask(client -> client.jobs().createJob(job));
    }

    @Override
    public Job getJob(String jobId) {
      return ask(client -> client.jobs().getJob(jobId));
    }

    @Override
    public JobTaskPage getJobTasks(String jobId, int limit, String cursor) {
      return ask(client -> client.jobs().getJobTasks(jobId, limit, cursor));
    }

    @Override
    public Reader openJobInput(String jobId) {
      return ask(client -> client.jobs().openJobInput(jobId));
    }

    @Override
    public void addJobChildren(JobChildren children) {
      tell(client -> client.jobs().addJobChildren(children));
    }

    @Override
    public void cancelJob(String jobId) {
      tell(client -> client.jobs().cancelJob(jobId));
    }

    @Override
    public void retryJob(String jobId) {
      tell(client -> client.jobs().retryJob(jobId));
    }
  }
}
