package io.asyncflow.spring.outbox;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Creates tasks in the transaction of the application: a commit creates them, a rollback does not.
 *
 * <pre>{@code
 * @Transactional
 * void order(Order order) {
 *   orders.save(order);
 *   flow.create(NewTask.of("mail", "confirm", order.customer(), json));
 * }
 * }</pre>
 *
 * <p>The tasks are kept in a table of the application's database and sent to flowsvr after the
 * commit, so flowsvr need not run at that time. Each task is created once, also when the
 * application is killed at any moment, because it has an idempotency key: its own, or a new one.
 *
 * <p>Thread-safe.
 */
public final class TransactionalFlowClient {

  /** The most bytes of a context in UTF-8, of which flowsvr refuses more. */
  private static final int MOST_CONTEXT = 4_096;

  private final OutboxTable table;
  private final TransactionSynchronization wakeUp;

  /**
   * @param afterCommit called after each commit that has created tasks
   */
  TransactionalFlowClient(OutboxTable table, Runnable afterCommit) {
    this.table = table;
    // One object for all creates: a transaction keeps it once.
    this.wakeUp =
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            afterCommit.run();
          }
        };
  }

  /**
   * Creates a task when the transaction of this thread is committed.
   *
   * @return the task's idempotency key, under which {@link
   *     io.asyncflow.api.FlowClient#getTask(String, String)} finds it
   * @throws IllegalStateException if this thread is in no transaction, or in one of another
   *     database
   * @throws IllegalArgumentException if the task lacks a type, a stage or a user, its context is
   *     too large, or its key does not make a repeated create harmless ({@link
   *     OnDuplicate#REPLACE}, {@link OnDuplicate#RERUN}, {@code keyUntilDone})
   */
  public String create(NewTask task) {
    return create(List.of(task)).get(0);
  }

  /** The same for several tasks. The keys are in the order of the tasks. */
  public List<String> create(List<NewTask> tasks) {
    if (!TransactionSynchronizationManager.isActualTransactionActive()) {
      throw new IllegalStateException(
          "a task is created outside of a transaction: mark the method with @Transactional, or"
              + " create the task with FlowClient");
    }
    List<OutboxTask> kept = new ArrayList<>();
    for (NewTask task : tasks) {
      requireSendable(task);
      kept.add(OutboxTask.of(task));
    }
    table.insert(kept);
    if (TransactionSynchronizationManager.isSynchronizationActive()) {
      TransactionSynchronizationManager.registerSynchronization(wakeUp);
    }
    return kept.stream().map(row -> row.task().idempotencyKey()).toList();
  }

  /** What is certain to be refused is refused while the application can still roll back. */
  private static void requireSendable(NewTask task) {
    require("type", task.taskType());
    require("stage", task.taskStage());
    require("user", task.userId());
    String context = task.taskContext() == null ? "" : task.taskContext();
    int bytes = context.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_CONTEXT) {
      throw new IllegalArgumentException(
          "the context of a task has at most " + MOST_CONTEXT + " bytes, not " + bytes);
    }
    if (task.onDuplicate() == OnDuplicate.RERUN || Integer.valueOf(1).equals(task.keyUntilDone())) {
      throw new IllegalArgumentException(
          "a create that is repeated must do nothing, but with RERUN or keyUntilDone it runs the"
              + " task once more");
    }
    if (task.onDuplicate() == OnDuplicate.REPLACE) {
      throw new IllegalArgumentException(
          "a create that is repeated, or sent after a later one, must do nothing, but with REPLACE"
              + " it puts its body over a newer one");
    }
  }

  private static void require(String what, String value) {
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException("a task needs a " + what);
    }
  }
}
