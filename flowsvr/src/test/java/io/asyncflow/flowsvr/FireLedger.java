package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.task.row.TaskLedger;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTransition;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The last ledger of every {@link RunningServer}: keeps the changes of tasks that a fire created,
 * once they are committed. Thread-safe.
 */
public final class FireLedger implements TaskLedger {

  private final Map<TaskId, Queue<TaskTransition>> committed = new ConcurrentHashMap<>();

  @Override
  public void record(List<TaskTransition> changes) {
    List<TaskTransition> ofFires =
        changes.stream().filter(change -> change.after().fire() != null).toList();
    if (ofFires.isEmpty()) {
      return;
    }
    if (!TransactionSynchronizationManager.isActualTransactionActive()) {
      throw new IllegalStateException("a task of a fire changed outside of a transaction");
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            ofFires.forEach(
                change ->
                    committed
                        .computeIfAbsent(change.after().id(), id -> new ConcurrentLinkedQueue<>())
                        .add(change));
          }
        });
  }

  /** The committed changes of this task, in order. */
  public List<TaskTransition> changesOf(TaskId id) {
    return List.copyOf(committed.getOrDefault(id, new ConcurrentLinkedQueue<>()));
  }
}
