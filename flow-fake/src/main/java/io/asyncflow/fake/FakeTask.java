package io.asyncflow.fake;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.TaskRow;
import java.util.Comparator;
import java.util.Set;

/**
 * A task of a {@link FakeFlowServer}, guarded by its lock: the row, as in the server, and the
 * request that created it.
 */
final class FakeTask {

  /** The order in which holds take tasks. */
  static final Comparator<FakeTask> BY_DUE_TIME =
      Comparator.comparingLong((FakeTask task) -> task.row.orderTime())
          .thenComparing(task -> task.workers.isEmpty())
          .thenComparingLong(FakeTask::number);

  NewTask created;
  TaskRow row;
  String holdId;

  /** The workers that may hold it; empty for all. */
  Set<String> workers;

  FakeTask(NewTask created, TaskRow row) {
    this.row = row;
    takeBody(created);
  }

  void takeBody(NewTask body) {
    created = body;
    workers = body.workerIds() == null ? Set.of() : Set.copyOf(body.workerIds());
  }

  String id() {
    return row.id().toString();
  }

  /** Later tasks have higher numbers. */
  long number() {
    return row.id().number();
  }

  TaskStatus status() {
    return row.status();
  }

  boolean mayBeHeldBy(String worker) {
    return workers.isEmpty() || workers.contains(worker);
  }
}
