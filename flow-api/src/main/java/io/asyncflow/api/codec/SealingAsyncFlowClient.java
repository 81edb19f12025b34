package io.asyncflow.api.codec;

import io.asyncflow.api.AsyncFlowClient;
import io.asyncflow.api.AsyncJobClient;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls that do not wait, sealed on the thread of the caller and opened on that of the answer.
 */
final class SealingAsyncFlowClient implements AsyncFlowClient {

  private final AsyncFlowClient client;
  private final Sealing sealing;

  SealingAsyncFlowClient(AsyncFlowClient client, Sealing sealing) {
    this.client = client;
    this.sealing = sealing;
  }

  /** A text that cannot be sealed fails the future, as all else that can happen to a call. */
  private static <S, T> CompletableFuture<T> send(
      Supplier<S> sealing, Function<S, CompletableFuture<T>> call) {
    S body;
    try {
      body = sealing.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return call.apply(body);
  }

  @Override
  public CompletableFuture<CreateResult> create(NewTask task) {
    return send(() -> sealing.sealed(task), client::create);
  }

  @Override
  public CompletableFuture<List<CreateResult>> create(List<NewTask> tasks) {
    return send(() -> sealing.sealed(tasks), client::create);
  }

  @Override
  public CompletableFuture<Task> getTask(String taskId) {
    return client.getTask(taskId).thenApply(sealing::opened);
  }

  @Override
  public CompletableFuture<Task> getTask(String taskType, String idempotencyKey) {
    return client.getTask(taskType, idempotencyKey).thenApply(sealing::opened);
  }

  @Override
  public CompletableFuture<TaskPage> getTaskList(String taskType, TaskPageRequest request) {
    return client.getTaskList(taskType, request).thenApply(sealing::opened);
  }

  @Override
  public CompletableFuture<TaskPage> getUserTaskList(String userId, TaskPageRequest request) {
    return client.getUserTaskList(userId, request).thenApply(sealing::opened);
  }

  @Override
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return client.cancelTask(taskId, operator, reason);
  }

  @Override
  public CompletableFuture<String> retryTask(String taskId, String operator, String reason) {
    return client.retryTask(taskId, operator, reason);
  }

  @Override
  public AsyncJobClient jobs() {
    return new Jobs(client.jobs(), sealing);
  }

  private record Jobs(AsyncJobClient jobs, Sealing sealing) implements AsyncJobClient {

    @Override
    public CompletableFuture<String> createJob(NewJob job) {
      return send(() -> sealing.sealed(job), jobs::createJob);
    }

    @Override
    public CompletableFuture<Job> getJob(String jobId) {
      return jobs.getJob(jobId).thenApply(sealing::opened);
    }

    @Override
    public CompletableFuture<JobPage> getJobList(JobListRequest request) {
      return jobs.getJobList(request).thenApply(sealing::opened);
    }

    @Override
    public CompletableFuture<Void> cancelJob(String jobId, String operator, String reason) {
      return jobs.cancelJob(jobId, operator, reason);
    }
  }
}
