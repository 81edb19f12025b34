package io.asyncflow.fake;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskRow;
import java.util.Collection;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The acts of operators on the tasks of a {@link FakeFlowServer}, guarded by its lock. Jobs and
 * schedules do the same to their tasks.
 */
final class FakeActs {

  private final FakeFlowServer server;

  FakeActs(FakeFlowServer server) {
    this.server = server;
  }

  void cancel(String taskId) {
    FakeTask task = server.tasks.get(taskId);
    if (act(task, EventKind.CANCELLED, TaskActs::cancelled)) {
      server.tasks.tellOfEnd(task);
    }
  }

  void pause(String taskId, boolean stop) {
    act(server.tasks.get(taskId), EventKind.PAUSED, row -> TaskActs.paused(row, stop));
  }

  void resume(String taskId) {
    act(server.tasks.get(taskId), EventKind.RESUMED, TaskActs::resumed);
  }

  void retry(String taskId) {
    FakeTask task = server.tasks.get(taskId);
    TaskActs.requireRetryable(task.row);
    if (task.row.place() != null) {
      throw new UnsupportedOperationException("the fake flowsvr retries no task of a job");
    }
    act(task, EventKind.REVIVED, TaskActs::retried);
    server.tasks.tellOfRevival(task);
  }

  void restart(String taskId) {
    act(server.tasks.get(taskId), EventKind.REVOKED, TaskActs::restarted);
  }

  void setWorkers(String taskId, Collection<String> workerIds) {
    FakeTask task = server.tasks.get(taskId);
    Set<String> workers = Set.copyOf(workerIds);
    act(task, EventKind.REVOKED, row -> TaskActs.reassigned(row, workers, row.lane()));
    giveTo(task, workers);
  }

  /** Moves a copy of a team, which waits, to the worker that its job has chosen. */
  void moveTo(String taskId, String worker) {
    giveTo(server.tasks.get(taskId), Set.of(worker));
  }

  /** Lets a failed copy of a team wait again, for the worker that its job has chosen. */
  void reviveFor(String taskId, String worker) {
    act(server.tasks.get(taskId), EventKind.REVIVED, TaskActs::retried);
    moveTo(taskId, worker);
  }

  private void giveTo(FakeTask task, Set<String> workers) {
    if (!task.workers.equals(workers)) {
      task.workers = workers;
      server.tasks.write(task, server.tasks.rowNow(task));
      server.notifyAll();
    }
  }

  /** Writes what an act makes of a task; false if there is nothing to do. */
  private boolean act(FakeTask task, EventKind kind, UnaryOperator<TaskRow> act) {
    TaskRow before = server.tasks.rowNow(task);
    TaskRow after = act.apply(before);
    if (after.equals(before)) {
      return false;
    }
    server.tasks.write(task, after);
    if (after.status() != before.status()) {
      server.tasks.tell(kind, task, null);
    }
    server.notifyAll();
    return true;
  }
}
