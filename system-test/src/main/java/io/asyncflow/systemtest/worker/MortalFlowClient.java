package io.asyncflow.systemtest.worker;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;

/** Another client, with the crash points that lie between a worker and its server. */
record MortalFlowClient(FlowClient client, CrashPoint crashPoint) implements FlowClient {

  @Override
  public List<Task> holdTasks(HoldRequest request) {
    return hold(request).tasks();
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    HoldAnswer answer = client.hold(request);
    if (!answer.tasks().isEmpty()) {
      crashPoint.reached(CrashPoint.HELD);
    }
    return answer;
  }

  @Override
  public HoldAnswer holdTasks(HoldRequest request, List<Report> reports) {
    crashPoint.reached(CrashPoint.BEFORE_REPORT);
    HoldAnswer answer = client.holdTasks(request, reports);
    crashPoint.reached(CrashPoint.AFTER_REPORT);
    if (!answer.tasks().isEmpty()) {
      crashPoint.reached(CrashPoint.HELD);
    }
    return answer;
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    crashPoint.reached(CrashPoint.BEFORE_REPORT);
    List<ReportResult> results = client.report(reports);
    crashPoint.reached(CrashPoint.AFTER_REPORT);
    return results;
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return client.heartbeat(heartbeat);
  }

  @Override
  public String createTask(NewTask task) {
    return client.createTask(task);
  }

  @Override
  public List<String> createTasks(List<NewTask> tasks) {
    return client.createTasks(tasks);
  }

  @Override
  public Task getTask(String taskId) {
    return client.getTask(taskId);
  }

  @Override
  public List<TaskTypeSettings> taskTypes() {
    return client.taskTypes();
  }

  @Override
  public JobClient jobs() {
    return client.jobs();
  }

  @Override
  public void saveTaskType(TaskTypeSettings settings) {
    client.saveTaskType(settings);
  }
}
