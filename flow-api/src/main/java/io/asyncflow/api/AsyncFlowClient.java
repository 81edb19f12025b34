package io.asyncflow.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Calls of a {@link FlowClient} that do not wait, for applications whose threads must not block:
 * those by which an application hands work over and learns what became of it.
 *
 * <p>A future fails with the {@link FlowException} that the call of {@link FlowClient} throws. To
 * cancel a future gives up the answer; the call may take effect all the same. Thread-safe.
 *
 * @param transport sends the calls
 * @see FlowClient#async
 */
public record AsyncFlowClient(Transport transport) {

  static <T> CompletableFuture<T> onThread(Supplier<T> call) {
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

  /** As {@link FlowClient#create(NewTask)}. */
  public CompletableFuture<CreateResult> create(NewTask task) {
    return transport.sendAsync(TaskCalls.create(task));
  }

  /** As {@link FlowClient#create(List)}. */
  public CompletableFuture<List<CreateResult>> create(List<NewTask> tasks) {
    return transport.sendAsync(TaskCalls.create(tasks));
  }

  /** As {@link FlowClient#getTask(String)}. */
  public CompletableFuture<Task> getTask(String taskId) {
    return transport.sendAsync(TaskCalls.get(taskId));
  }

  /** As {@link FlowClient#getTask(String, String)}. */
  public CompletableFuture<Task> getTask(String taskType, String idempotencyKey) {
    return transport.sendAsync(TaskCalls.get(taskType, idempotencyKey));
  }

  /** As {@link FlowClient#getTaskList}. */
  public CompletableFuture<TaskPage> getTaskList(String taskType, TaskPageRequest request) {
    return transport.sendAsync(TaskCalls.list(taskType, request));
  }

  /** As {@link FlowClient#getUserTaskList}. */
  public CompletableFuture<TaskPage> getUserTaskList(String userId, TaskPageRequest request) {
    return transport.sendAsync(TaskCalls.listOfUser(userId, request));
  }

  /** As {@link FlowClient#cancelTask(String, String, String)}. */
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return transport.sendAsync(TaskCalls.cancel(taskId, operator, reason));
  }

  /** As {@link FlowClient#retryTask(String, String, String)}. */
  public CompletableFuture<String> retryTask(String taskId, String operator, String reason) {
    return transport.sendAsync(TaskCalls.retry(taskId, operator, reason));
  }

  /** The calls about jobs. */
  public AsyncJobClient jobs() {
    return new AsyncJobClient(transport);
  }
}
