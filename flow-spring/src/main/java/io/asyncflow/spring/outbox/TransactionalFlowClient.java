package io.asyncflow.spring.outbox;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TraceParent;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import io.asyncflow.spring.CurrentTrace;
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

  /** Bytes for each letter that a usual codec makes: three of UTF-8, in Base64, and a header. */
  private static final int MOST_GROWTH = 5;

  private final OutboxTable table;
  private final FlowClient client;
  private final CurrentTrace trace;
  private final TransactionSynchronization wakeUp;

  /**
   * @param client the client of the relay
   * @param trace to which the tasks belong that name none
   * @param afterCommit called after each commit that has created tasks
   */
  TransactionalFlowClient(
      OutboxTable table, FlowClient client, CurrentTrace trace, Runnable afterCommit) {
    this.table = table;
    this.client = client;
    this.trace = trace;
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
   * @throws IllegalArgumentException if flowsvr would refuse the task whatever its types and limits
   *     are, such as for its form or size, or the key does not make a repeated create harmless
   *     ({@link OnDuplicate#REPLACE}, {@link OnDuplicate#RERUN}, {@code keyUntilDone})
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
    String current = trace.traceParent();
    List<OutboxTask> kept =
        tasks.stream()
            // Of the task's own, an invalid one counts as none.
            .map(
                task ->
                    TraceParent.validOrNull(task.traceParent()) == null
                        ? task.withTraceParent(current)
                        : task)
            .map(OutboxTask::of)
            .toList();
    requireSendable(kept.stream().map(OutboxTask::task).toList());
    table.insert(kept);
    if (TransactionSynchronizationManager.isSynchronizationActive()) {
      TransactionSynchronizationManager.registerSynchronization(wakeUp);
    }
    return kept.stream().map(row -> row.task().idempotencyKey()).toList();
  }

  /** What is certain to be refused is refused while the application can still roll back. */
  private void requireSendable(List<NewTask> tasks) {
    List<NewTask> sent = new ArrayList<>();
    for (NewTask task : tasks) {
      requireRepeatable(task);
      sent.add(asSent(task));
    }
    SentFields call = new SentFields().with("tasks", sent);
    if (sent.size() == 1) {
      TaskFields.task(call.withAll(sent.get(0)));
    } else {
      call.objects("tasks", 0, sent.size()).forEach(TaskFields::task);
    }
    try {
      call.refuseIfBad();
    } catch (FlowException e) {
      String when =
          !sent.equals(tasks) && e.errorCode() == ErrorCode.TOO_LARGE ? " when it is sealed" : "";
      throw new IllegalArgumentException(
          "flowsvr would refuse it" + when + ": " + e.getMessage(), e);
    }
  }

  /**
   * The task as it is if it cannot be sealed now: the relay tries that again. A text that no usual
   * codec makes too large is not sealed here, because a codec may call a service of keys.
   */
  private NewTask asSent(NewTask task) {
    String context = task.taskContext();
    if (context == null || MOST_GROWTH * context.length() <= TaskLimits.CONTEXT_BYTES) {
      return task;
    }
    try {
      return client.asSent(task);
    } catch (Throwable e) {
      return task;
    }
  }

  private static void requireRepeatable(NewTask task) {
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
}
