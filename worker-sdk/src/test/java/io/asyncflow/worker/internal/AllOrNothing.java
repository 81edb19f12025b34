package io.asyncflow.worker.internal;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;
import java.util.function.Predicate;

/** Refuses a whole request for one report in it. */
record AllOrNothing(FlowClient server, Predicate<Report> bad, ErrorCode code)
    implements FlowClient {

  /** As a server does that cannot read the body. */
  AllOrNothing(FlowClient server, Predicate<Report> bad) {
    this(server, bad, ErrorCode.MALFORMED_BODY);
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    if (reports.stream().anyMatch(bad)) {
      throw new FlowException(code, "refused by the test");
    }
    return server.report(reports);
  }

  @Override
  public String createTask(NewTask task) {
    return server.createTask(task);
  }

  @Override
  public List<String> createTasks(List<NewTask> tasks) {
    return server.createTasks(tasks);
  }

  @Override
  public Task getTask(String taskId) {
    return server.getTask(taskId);
  }

  @Override
  public List<Task> holdTasks(HoldRequest request) {
    return server.holdTasks(request);
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return server.heartbeat(heartbeat);
  }

  @Override
  public List<TaskTypeSettings> taskTypes() {
    return server.taskTypes();
  }

  @Override
  public void saveTaskType(TaskTypeSettings settings) {
    server.saveTaskType(settings);
  }
}
