package io.asyncflow.flowsvr.operator;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.operator.RowAct.Done;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TaskActStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import org.springframework.stereotype.Component;

/** The acts that change the status of a task, in its row. Thread-safe. */
@Component
public class RowActs {

  private final TaskActStore taskActs;
  private final TaskMeters meters;

  RowActs(TaskActStore taskActs, TaskMeters meters) {
    this.taskActs = taskActs;
    this.meters = meters;
  }

  /** Cancels; does nothing to a cancelled task. */
  public Done cancel(TaskRow row) {
    if (TaskActs.cancelled(row).equals(row)) {
      return null;
    }
    taskActs.force(row, TaskStatus.CANCELLED);
    return ended(row, Act.onTask("CANCEL", row.id(), row.status(), TaskStatus.CANCELLED));
  }

  /** An executing task leaves room within max_executing. */
  private static Done ended(TaskRow row, Act act) {
    return row.status() == TaskStatus.EXECUTING
        ? Done.telling(act, waiting(row))
        : Done.quietly(act);
  }

  /**
   * Pauses; does nothing to a paused task.
   *
   * @param stop whether the hold of an executing task is ended
   */
  public Done pause(TaskRow row, boolean stop) {
    TaskId id = row.id();
    TaskRow paused = TaskActs.paused(row, stop);
    if (paused.equals(row)) {
      return null;
    }
    Act act = Act.onTask("PAUSE", id, row.status(), TaskStatus.PAUSED);
    if (row.status() != TaskStatus.EXECUTING) {
      taskActs.pause(List.of(row));
      return Done.quietly(act);
    }
    taskActs.redirect(row, paused);
    // There is room within max_executing.
    return Done.telling(act, new TasksWaiting(id.type()))
        .counting(() -> meters.revoked(id.type().name()));
  }

  /** Resumes; does nothing to a task that is not paused. */
  public Done resume(TaskRow row) {
    if (TaskActs.resumed(row).equals(row)) {
      return null;
    }
    taskActs.resume(List.of(row));
    return Done.telling(
        Act.onTask("RESUME", row.id(), TaskStatus.PAUSED, TaskStatus.WAITING), waiting(row));
  }

  /** Lets a failed or cancelled task of a table that has been entered wait again. */
  public Done retry(TaskRow row) {
    TaskActs.requireRetryable(row);
    taskActs.revive(row);
    return Done.telling(
        Act.onTask(CopyStore.RETRY, row.id(), row.status(), TaskStatus.WAITING), waiting(row));
  }

  /**
   * Forces a status; of a table that has been entered if it is waiting.
   *
   * @throws TransitionNotAllowedException if it is executing, which only a hold sets
   */
  public Done setStatus(TaskRow row, TaskStatus status) {
    TaskId id = row.id();
    requireForcible(id, status);
    Act act = Act.onTask("SET_STATUS", id, row.status(), status);
    if (status == TaskStatus.WAITING) {
      taskActs.revive(row);
      return Done.telling(act, waiting(row));
    }
    taskActs.force(row, status);
    return ended(row, act);
  }

  static void requireForcible(TaskId id, TaskStatus status) {
    if (status == TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(id, "only a hold makes a task executing");
    }
  }

  private static TasksWaiting waiting(TaskRow row) {
    return new TasksWaiting(row.id().type());
  }
}
