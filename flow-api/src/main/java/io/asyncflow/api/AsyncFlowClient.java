package io.asyncflow.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Calls of a {@link FlowClient} that do not wait, for applications whose threads must not block:
 * those by which an application hands work over and learns what became of it.
 *
 * <p>A future fails with the {@link FlowException} that the call of {@link FlowClient} throws. To
 * cancel a future gives up the answer; the call may take effect all the same. Thread-safe.
 *
 * @see FlowClient#async
 */
public final class AsyncFlowClient {

  private final Transport transport;

  /** Makes the calls about tasks, each on a thread of its own; {@code null} for none. */
  private final FlowClient waiting;

  /** The calls are sent as they are. */
  public AsyncFlowClient(Transport transport) {
    this(transport, null);
  }

  /** The calls about tasks are those of a client that waits, which may have changed them. */
  public AsyncFlowClient(FlowClient waiting) {
    this(waiting.transport(), waiting);
  }

  private AsyncFlowClient(Transport transport, FlowClient waiting) {
    this.transport = transport;
    this.waiting = waiting;
  }

  /** Whether each call about tasks takes a thread while it is under way. */
  public boolean takesThreads() {
    return waiting != null;
  }

  private <T> CompletableFuture<T> send(Call<T> call, Function<FlowClient, T> whereItWaits) {
    return waiting == null
        ? transport.sendAsync(call)
        : onThread(() -> whereItWaits.apply(waiting));
  }

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
    return send(TaskCalls.create(task), client -> client.create(task));
  }

  /** As {@link FlowClient#create(List)}. */
  public CompletableFuture<List<CreateResult>> create(List<NewTask> tasks) {
    return send(TaskCalls.create(tasks), client -> client.create(tasks));
  }

  /** As {@link FlowClient#getTask(String)}. */
  public CompletableFuture<Task> getTask(String taskId) {
    return send(TaskCalls.get(taskId), client -> client.getTask(taskId));
  }

  /** As {@link FlowClient#getTask(String, String)}. */
  public CompletableFuture<Task> getTask(String taskType, String idempotencyKey) {
    return send(
        TaskCalls.get(taskType, idempotencyKey),
        client -> client.getTask(taskType, idempotencyKey));
  }

  /** As {@link FlowClient#getTaskList}. */
  public CompletableFuture<TaskPage> getTaskList(String taskType, TaskPageRequest request) {
    return send(TaskCalls.list(taskType, request), client -> client.getTaskList(taskType, request));
  }

  /** As {@link FlowClient#getUserTaskList}. */
  public CompletableFuture<TaskPage> getUserTaskList(String userId, TaskPageRequest request) {
    return send(
        TaskCalls.listOfUser(userId, request), client -> client.getUserTaskList(userId, request));
  }

  /** As {@link FlowClient#cancelTask(String, String, String)}. */
  public CompletableFuture<Void> cancelTask(String taskId, String operator, String reason) {
    return send(
        TaskCalls.cancel(taskId, operator, reason),
        client -> {
          client.cancelTask(taskId, operator, reason);
          return null;
        });
  }

  /** As {@link FlowClient#retryTask(String, String, String)}. */
  public CompletableFuture<String> retryTask(String taskId, String operator, String reason) {
    return send(
        TaskCalls.retry(taskId, operator, reason),
        client -> client.retryTask(taskId, operator, reason));
  }

  /** The calls about jobs. */
  public AsyncJobClient jobs() {
    return new AsyncJobClient(transport);
  }
}
