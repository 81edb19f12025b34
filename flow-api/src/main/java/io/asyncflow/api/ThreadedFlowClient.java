package io.asyncflow.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** {@link AsyncFlowClient} over a client that waits, by a thread for each call. */
final class ThreadedFlowClient implements AsyncFlowClient {

  private final FlowClient client;

  ThreadedFlowClient(FlowClient client) {
    this.client = client;
  }

  private static <T> CompletableFuture<T> supply(Supplier<T> call) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                future.complete(call.get());
              } catch (RuntimeException | Error e) {
                future.completeExceptionally(e);
              }
            },
            "asyncflow-call");
    thread.setDaemon(true);
    thread.start();
    return future;
  }

  @Override
  public CompletableFuture<CreateResult> create(NewTask task) {
    return supply(() -> client.create(task));
  }

  @Override
  public CompletableFuture<List<CreateResult>> create(List<NewTask> tasks) {
    return supply(() -> client.create(tasks));
  }

  @Override
  public CompletableFuture<Task> getTask(String taskId) {
    return supply(() -> client.getTask(taskId));
  }

  @Override
  public CompletableFuture<Task> getTask(String taskType, String idempotencyKey) {
    return supply(() -> client.getTask(taskType, idempotencyKey));
  }

  private static CompletableFuture<Void> run(Runnable call) {
    return supply(
        () -> {
          call.run();
          return null;
        });
  }

  @Override
  public CompletableFuture<TaskPage> getTaskList(String taskType, TaskPageRequest request) {
    return supply(() -> client.getTaskList(taskType, request));
  }

  @Override
  public CompletableFuture<TaskPage> getUserTaskList(String userId, TaskPageRequest request) {
    return supply(() -> client.getUserTaskList(userId, request));
  }

  @Override
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return run(() -> client.cancelTask(taskId, operator, reason));
  }

  @Override
  public CompletableFuture<String> retryTask(String taskId, String operator, String reason) {
    return supply(() -> client.retryTask(taskId, operator, reason));
  }

  @Override
  public AsyncJobClient jobs() {
    return new Jobs(client.jobs());
  }

  private record Jobs(JobClient jobs) implements AsyncJobClient {

    @Override
    public CompletableFuture<String> createJob(NewJob job) {
      return supply(() -> jobs.createJob(job));
    }

    @Override
    public CompletableFuture<Job> getJob(String jobId) {
      return supply(() -> jobs.getJob(jobId));
    }

    @Override
    public CompletableFuture<JobPage> getJobList(JobListRequest request) {
      return supply(() -> jobs.getJobList(request));
    }

    @Override
    public CompletableFuture<Void> cancelJob(String jobId, String operator, String reason) {
      return run(() -> jobs.cancelJob(jobId, operator, reason));
    }
  }
}
