package io.asyncflow.api;

import io.asyncflow.api.find.SteerClient;

/** The calls that steer a single task, over HTTP. */
final class HttpSteerClient implements SteerClient {

  private static final Answer<String> TASK_ID = Answer.of(Cloned.class, Cloned::taskId);

  private final HttpTransport http;

  HttpSteerClient(HttpTransport http) {
    this.http = http;
  }

  private record RunNow(String taskId, String operator, String reason) {}

  private record Reschedule(
      String taskId, Long runAt, Long delayMs, Integer priority, String operator, String reason) {}

  private record Clone(
      String taskId,
      String taskStage,
      String taskContext,
      Integer priority,
      Long runAt,
      String userId,
      String idempotencyKey,
      String operator,
      String reason) {}

  private record ExpireLease(String taskId, int leaseEpoch, String operator, String reason) {}

  private record SetStatus(String taskId, int status, String operator, String reason) {}

  private record Cloned(String taskId) {}

  @Override
  public void runNow(String taskId, String operator, String reason) {
    http.post("/api/task/runNow", new RunNow(taskId, operator, reason));
  }

  @Override
  public void reschedule(String taskId, NewDue due, String operator, String reason) {
    http.post(
        "/api/task/reschedule",
        new Reschedule(taskId, due.runAt(), due.delayMs(), due.priority(), operator, reason));
  }

  @Override
  public String clone(String taskId, Changes changes, String operator, String reason) {
    Clone call =
        new Clone(
            taskId,
            changes.taskStage(),
            changes.taskContext(),
            changes.priority(),
            changes.runAt(),
            changes.userId(),
            changes.idempotencyKey(),
            operator,
            reason);
    return http.post("/api/task/clone", call, TASK_ID);
  }

  @Override
  public void expireLease(String taskId, int leaseEpoch, String operator, String reason) {
    http.post("/api/task/expireLease", new ExpireLease(taskId, leaseEpoch, operator, reason));
  }

  @Override
  public void setStatus(String taskId, TaskStatus status, String operator, String reason) {
    http.post("/api/task/setStatus", new SetStatus(taskId, status.code(), operator, reason));
  }
}
