package io.asyncflow.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@link AsyncFlowClient} over HTTP; no thread waits for an answer. */
final class HttpAsyncFlowClient implements AsyncFlowClient {

  private final HttpTransport http;

  HttpAsyncFlowClient(HttpTransport http) {
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
  public CompletableFuture<TaskPage> getTaskList(String taskType, TaskPageRequest request) {
    return http.send(HttpFlowClient.listCall(taskType, request));
  }

  @Override
  public CompletableFuture<TaskPage> getUserTaskList(String userId, TaskPageRequest request) {
    return http.send(HttpFlowClient.userListCall(userId, request));
  }

  @Override
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return http.send(HttpFlowClient.cancelCall(taskId, operator, reason));
  }

  @Override
  public CompletableFuture<String> retryTask(String taskId, String operator, String reason) {
    return http.send(HttpFlowClient.retryCall(taskId, operator, reason));
  }

  @Override
  public AsyncJobClient jobs() {
    return new Jobs(http);
  }

  private record Jobs(HttpTransport http) implements AsyncJobClient {

    @Override
    public CompletableFuture<String> createJob(NewJob job) {
      return http.send(HttpJobClient.createCall(job));
    }

    @Override
    public CompletableFuture<Job> getJob(String jobId) {
      return http.send(HttpJobClient.getCall(jobId));
    }

    @Override
    public CompletableFuture<JobPage> getJobList(JobListRequest request) {
      return http.send(HttpJobClient.listCall(request));
    }

    @Override
    public CompletableFuture<Void> cancelJob(String jobId, String operator, String reason) {
      return http.send(HttpJobClient.cancelCall(jobId, operator, reason));
    }
  }
}
