package io.asyncflow.api;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of a {@link FlowClient} that do not wait, for applications whose threads must not block:
 * those by which an application hands work over and learns what became of it.
 *
 * <p>A future fails with the {@link FlowException} that the call of {@link FlowClient} throws. To
 * cancel a future gives up the answer; the call may take effect all the same. Implementations are
 * thread-safe.
 *
 * @see FlowClient#async
 */
public interface AsyncFlowClient {

  /** As {@link FlowClient#create(NewTask)}. */
  CompletableFuture<CreateResult> create(NewTask task);

  /** As {@link FlowClient#create(List)}. */
  CompletableFuture<List<CreateResult>> create(List<NewTask> tasks);

  /** As {@link FlowClient#getTask(String)}. */
  CompletableFuture<Task> getTask(String taskId);

  /** As {@link FlowClient#getTask(String, String)}. */
  CompletableFuture<Task> getTask(String taskType, String idempotencyKey);

  /** As {@link FlowClient#getTaskList}. */
  CompletableFuture<TaskPage> getTaskList(String taskType, TaskPageRequest request);

  /** As {@link FlowClient#getUserTaskList}. */
  CompletableFuture<TaskPage> getUserTaskList(String userId, TaskPageRequest request);

  /** As {@link FlowClient#cancelTask(String, String, String)}. */
  CompletableFuture<Void> cancelTask(String taskId, String operator, String reason);

  /** As {@link FlowClient#retryTask(String, String, String)}. */
  CompletableFuture<String> retryTask(String taskId, String operator, String reason);

  /** The calls about jobs. */
  AsyncJobClient jobs();
}
