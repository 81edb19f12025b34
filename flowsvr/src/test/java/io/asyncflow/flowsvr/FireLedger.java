package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.task.TaskLedger;
import io.asyncflow.rules.TaskId;
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

  private final Map<TaskId, Queue<Change>> committed = new ConcurrentHashMap<>();

  @Override
  public void record(List<Change> changes) {
    List<Change> ofFires = changes.stream().filter(change -> change.fire() != null).toList();
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
                        .computeIfAbsent(change.id(), id -> new ConcurrentLinkedQueue<>())
                        .add(change));
          }
        });
  }

  /** The committed changes of this task, in order. */
  public List<Change> changesOf(TaskId id) {
    return List.copyOf(committed.getOrDefault(id, new ConcurrentLinkedQueue<>()));
  }
}
