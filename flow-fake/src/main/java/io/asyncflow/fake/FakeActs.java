package io.asyncflow.fake;

import io.asyncflow.api.TaskAct;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;
import java.util.Set;

/**
 * The acts of operators on the tasks of a {@link FakeFlowServer}, guarded by its lock. Jobs and
 * schedules do the same to their tasks.
 */
final class FakeActs {

  private static final List<TaskAct> ANSWERED =
      List.of(TaskAct.CANCEL, TaskAct.PAUSE, TaskAct.RESUME, TaskAct.SET_WORKERS, TaskAct.RESTART);

  private final FakeFlowServer server;

  FakeActs(FakeFlowServer server) {
    this.server = server;
  }

  void answer(FakeCalls calls) {
    ANSWERED.forEach(act -> calls.act(act.path(), in -> act(act, in)));
    calls.write(TaskAct.RETRY.path(), in -> act(TaskAct.RETRY, FakeCalls.acted(in)));
  }

  /** Does the act that a call asks for, once what the clock asks for is done; returns the task. */
  private String act(TaskAct act, SentFields in) {
    TaskId id = TaskFields.taskId(in);
    Arguments with = Arguments.read(act, in);
    in.refuseIfBad();
    server.sweep();
    FakeTask task = server.tasks.get(id.toString());
    if (act == TaskAct.RETRY) {
      TaskActs.requireRetryable(task.row);
      if (task.row.place() != null) {
        throw new UnsupportedOperationException("the fake flowsvr retries no task of a job");
      }
    }
    act(act, id.toString(), with.inLane(task.row.lane()));
    if (act == TaskAct.RETRY) {
      server.tasks.tellOfRevival(task);
    } else if (act == TaskAct.SET_WORKERS) {
      giveTo(task, with.workers());
    }
    return id.toString();
  }

  /** Does an act that takes no arguments. */
  void act(TaskAct act, String taskId) {
    act(act, taskId, Arguments.NONE);
  }

  /** Moves a copy of a team, which waits, to the worker that its job has chosen. */
  void moveTo(String taskId, String worker) {
    giveTo(server.tasks.get(taskId), Set.of(worker));
  }

  /** Lets a failed copy of a team wait again, for the worker that its job has chosen. */
  void reviveFor(String taskId, String worker) {
    act(TaskAct.RETRY, taskId);
    moveTo(taskId, worker);
  }

  private void giveTo(FakeTask task, Set<String> workers) {
    if (!task.workers.equals(workers)) {
      task.workers = workers;
      server.tasks.write(task, server.tasks.rowNow(task));
      server.notifyAll();
    }
  }

  private void act(TaskAct act, String taskId, Arguments with) {
    FakeTask task = server.tasks.get(taskId);
    TaskTransition change = TaskActs.on(act, server.tasks.rowNow(task), with);
    if (change.changesNothing()) {
      return;
    }
    server.tasks.write(task, change.after());
    if (change.kind() != null) {
      server.tasks.tell(change.kind(), task, null);
    }
    server.notifyAll();
    if (act == TaskAct.CANCEL) {
      server.tasks.tellOfEnd(task);
    }
  }
}
