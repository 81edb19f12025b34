package io.asyncflow.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@link AsyncFlowClient} over HTTP; no thread waits for an answer. */
final class HttpAsyncFlowClient implements AsyncFlowClient {

  private final HttpFlowClient http;

  HttpAsyncFlowClient(HttpFlowClient http) {
    this.http = http;
  }

  @Override
  public CompletableFuture<CreateResult> create(NewTask task) {
    return http.send(HttpFlowClient.createCall(task));
  }

  @Override
  public CompletableFuture<List<CreateResult>> create(List<NewTask> tasks) {
    return http.send(HttpFlowClient.createCall(tasks));
  }

  @Override
  public CompletableFuture<Task> getTask(String taskId) {
    return http.send(HttpFlowClient.getCall(taskId));
  }

  @Override
  public CompletableFuture<Task> getTask(String taskType, String idempotencyKey) {
    return http.send(HttpFlowClient.getCall(taskType, idempotencyKey));
  }

  @Override
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return http.send(HttpFlowClient.cancelCall(taskId, operator, reason));
  }
}
