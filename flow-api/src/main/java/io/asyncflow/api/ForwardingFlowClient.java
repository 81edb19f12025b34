package io.asyncflow.api;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Forwards every call to another client. A subclass changes some of the calls, for example to
 * measure or repeat them; those of {@link #jobs()} and of all other parts by its {@link
 * #transport()}. Thread-safe if the other client is.
 */
public abstract class ForwardingFlowClient implements FlowClient {

  private final FlowClient client;

  /**
   * @param client the client that receives the calls
   */
  protected ForwardingFlowClient(FlowClient client) {
    this.client = Objects.requireNonNull(client, "client");
  }

  @Override
  public CreateResult create(NewTask task) {
    return client.create(task);
  }

  @Override
  public List<CreateResult> create(List<NewTask> tasks) {
    return client.create(tasks);
  }

  @Override
  public NewTask asSent(NewTask task) {
    return client.asSent(task);
  }

  @Override
  public Task getTask(String taskId) {
    return client.getTask(taskId);
  }

  @Override
  public Task getTask(String taskType, String idempotencyKey) {
    return client.getTask(taskType, idempotencyKey);
  }

  @Override
  public TaskPage getTaskList(String taskType, TaskPageRequest request) {
    return client.getTaskList(taskType, request);
  }

  @Override
  public TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    return client.getUserTaskList(userId, request);
  }

  @Override
  public void cancelTask(String taskId, String operator, String reason) {
    client.cancelTask(taskId, operator, reason);
  }

  @Override
  public String retryTask(String taskId, String operator, String reason) {
    return client.retryTask(taskId, operator, reason);
  }

  @Override
  public void setWorkers(String taskId, List<String> workerIds, String operator, String reason) {
    client.setWorkers(taskId, workerIds, operator, reason);
  }

  @Override
  public void restartTask(String taskId, String operator, String reason) {
    client.restartTask(taskId, operator, reason);
  }

  @Override
  public void pauseTask(String taskId, boolean stop, String operator, String reason) {
    client.pauseTask(taskId, stop, operator, reason);
  }

  @Override
  public void resumeTask(String taskId, String operator, String reason) {
    client.resumeTask(taskId, operator, reason);
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    return client.hold(request);
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> reports) {
    return client.hold(request, reports);
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    return client.report(reports);
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return client.heartbeat(heartbeat);
  }

  @Override
  public List<TaskTypeSettings> taskTypes() {
    return client.taskTypes();
  }

  @Override
  public List<TaskTypeSettings> taskTypes(Duration maxAge) {
    return client.taskTypes(maxAge);
  }

  @Override
  public void saveTaskType(
      TaskTypeSettings settings,
      Set<TaskTypeSettings.Removable> removed,
      String operator,
      String reason) {
    client.saveTaskType(settings, removed, operator, reason);
  }

  @Override
  public StoreClient store() {
    return client.store();
  }

  @Override
  public Transport transport() {
    return client.transport();
  }
}
