package io.asyncflow.console.page.task;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.Why;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.page.Act;
import java.util.List;

/** What an operator can do with a task, and why the state of the task refuses the rest. Pure. */
final class TaskActs {

  private TaskActs() {}

  /**
   * @param why {@code null} if it is not known; its time is the server's
   */
  static List<Act> of(Frame frame, Task task, Why why) {
    TaskStatus status = task.taskStatus();
    boolean hasEnded = status.isFinal();
    boolean isPaused = status == TaskStatus.PAUSED;
    boolean waits = status == TaskStatus.WAITING;
    boolean executes = status == TaskStatus.EXECUTING;
    boolean isDue = waits && why != null && task.orderTime() <= why.checkedAt();
    return List.of(
        act(frame, TaskAct.RETRY, task)
            .unless(!hasEnded, "why_not.not_ended")
            .unless(status == TaskStatus.SUCCESS, "why_not.succeeded"),
        act(frame, TaskAct.CANCEL, task).unless(hasEnded, "why_not.ended").grave(),
        act(frame, TaskAct.RUN_NOW, task)
            .unless(!waits, "why_not.not_waiting")
            .unless(isDue, "why_not.due"),
        act(frame, TaskAct.RESCHEDULE, task).unless(!waits, "why_not.not_waiting"),
        act(frame, "TASK_STEER", "clone", task).unless(task.jobId() != null, "why_not.of_job"),
        pause(frame, task).unless(hasEnded, "why_not.ended").unless(isPaused, "why_not.paused"),
        act(frame, TaskAct.RESUME, task).unless(!isPaused, "why_not.not_paused"),
        act(frame, TaskAct.RESTART, task).unless(!executes, "why_not.not_executing").grave(),
        act(frame, TaskAct.EXPIRE_LEASE, task).unless(!executes, "why_not.not_executing").grave(),
        act(frame, TaskAct.SET_STATUS, task).grave());
  }

  /** Of a task that executes it can end the hold. */
  private static Act pause(Frame frame, Task task) {
    Act pause = act(frame, TaskAct.PAUSE, task);
    return task.taskStatus() == TaskStatus.EXECUTING ? pause.grave() : pause;
  }

  private static Act act(Frame frame, TaskAct act, Task task) {
    Act asked = act(frame, act.verb(), act.word(), task);
    return act.needsReason() ? asked.withReason() : asked;
  }

  private static Act act(Frame frame, String verb, String act, Task task) {
    String url = frame.to("/tasks/" + task.taskId() + "/" + act);
    return Act.of(frame.may(verb), "task_" + act, url).onSeen(task.leaseEpoch(), task.status());
  }
}
