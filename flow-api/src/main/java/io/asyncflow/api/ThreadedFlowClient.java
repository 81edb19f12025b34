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

  @Override
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return supply(
        () -> {
          client.cancelTask(taskId, operator, reason);
          return null;
        });
  }
}
