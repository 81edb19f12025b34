package io.asyncflow.fake;

import io.asyncflow.rules.TaskAct;
import io.asyncflow.rules.TaskAct.Arguments;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskTransition;
import java.util.Collection;
import java.util.Set;

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
    if (act(task, TaskAct.CANCEL, Arguments.NONE)) {
      server.tasks.tellOfEnd(task);
    }
  }

  void pause(String taskId, boolean stop) {
    act(server.tasks.get(taskId), TaskAct.PAUSE, Arguments.stopping(stop));
  }

  void resume(String taskId) {
    act(server.tasks.get(taskId), TaskAct.RESUME, Arguments.NONE);
  }

  void retry(String taskId) {
    FakeTask task = server.tasks.get(taskId);
    TaskActs.requireRetryable(task.row);
    if (task.row.place() != null) {
      throw new UnsupportedOperationException("the fake flowsvr retries no task of a job");
    }
    act(task, TaskAct.RETRY, Arguments.NONE);
    server.tasks.tellOfRevival(task);
  }

  void restart(String taskId) {
    act(server.tasks.get(taskId), TaskAct.RESTART, Arguments.NONE);
  }

  void setWorkers(String taskId, Collection<String> workerIds) {
    FakeTask task = server.tasks.get(taskId);
    Set<String> workers = Set.copyOf(workerIds);
    act(task, TaskAct.SET_WORKERS, Arguments.workers(workers, task.row.lane()));
    giveTo(task, workers);
  }

  /** Moves a copy of a team, which waits, to the worker that its job has chosen. */
  void moveTo(String taskId, String worker) {
    giveTo(server.tasks.get(taskId), Set.of(worker));
  }

  /** Lets a failed copy of a team wait again, for the worker that its job has chosen. */
  void reviveFor(String taskId, String worker) {
    act(server.tasks.get(taskId), TaskAct.RETRY, Arguments.NONE);
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
  private boolean act(FakeTask task, TaskAct act, Arguments with) {
    TaskTransition change = act.on(server.tasks.rowNow(task), with);
    if (change.changesNothing()) {
      return false;
    }
    server.tasks.write(task, change.after());
    if (change.kind() != null) {
      server.tasks.tell(change.kind(), task, null);
    }
    server.notifyAll();
    return true;
  }
}
