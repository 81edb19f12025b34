package io.asyncflow.flowsvr.operator.steer;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.operator.Expected;
import io.asyncflow.flowsvr.operator.RowAct;
import io.asyncflow.flowsvr.operator.RowAct.Done;
import io.asyncflow.flowsvr.pulse.TaskPulse;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskActStore;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.task.TransitionStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Service;

/** Changes when a waiting task is due and how urgent it is, and ends leases before their time. */
@Service
public class SteerActs {

  private final TaskFamilies families;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskActStore taskActs;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final TaskPulse pulse;
  private final Events events;

  SteerActs(
      TaskFamilies families,
      TaskStore tasks,
      TransitionStore transitions,
      TaskActStore taskActs,
      Acts acts,
      RetryingTransactions transactions,
      TaskPulse pulse,
      Events events) {
    this.families = families;
    this.tasks = tasks;
    this.transitions = transitions;
    this.taskActs = taskActs;
    this.acts = acts;
    this.transactions = transactions;
    this.pulse = pulse;
    this.events = events;
  }

  /** When a task is due and how urgent it is, as an act records it. */
  private record Due(long orderTime, int priority) {

    static Due of(TaskRow row) {
      return new Due(row.orderTime(), row.priority());
    }
  }

  private record Moved(Due before, Due after) {}

  /**
   * Makes a task due now that would be later.
   *
   * @throws TransitionNotAllowedException if it does not wait or is due already, or if its fire
   *     time has not come
   */
  void runNow(TaskId id, Expected expected, Reason why) {
    once(id, expected, why, this::runNow);
  }

  /** The same in a locked row. */
  public Done runNow(TaskRow row) {
    requireMovable(row);
    if (row.orderTime() <= row.now()) {
      throw new TransitionNotAllowedException(row.id(), "it is due already");
    }
    return move("RUN_NOW", row, row.copy().orderTime(row.now() - row.priority() * 1000L).row());
  }

  /**
   * When a task shall be due, or how urgent it shall be; one of the three is given.
   *
   * @param runAt epoch ms
   * @param delayMs from now
   * @param priority seconds of head start
   */
  public record NewDue(Long runAt, Long delayMs, Integer priority) {}

  /**
   * Changes when a waiting task is due, or how urgent it is. The priority of a task that is not due
   * does not change when it becomes due, and one that is due stays so.
   *
   * @throws TransitionNotAllowedException if it does not wait, or if its fire time has not come
   */
  void reschedule(TaskId id, NewDue due, Expected expected, Reason why) {
    once(id, expected, why, row -> reschedule(row, due));
  }

  /** The same in a locked row; does nothing if it is so already. */
  public Done reschedule(TaskRow row, NewDue due) {
    requireMovable(row);
    return move("RESCHEDULE", row, rescheduled(row, due));
  }

  private static TaskRow rescheduled(TaskRow row, NewDue due) {
    if (due.runAt() != null) {
      return row.copy().orderTime(due.runAt()).row();
    }
    if (due.delayMs() != null) {
      return row.copy().orderTime(row.now() + due.delayMs()).row();
    }
    long headStart = (due.priority() - row.priority()) * 1000L;
    boolean isDue = row.orderTime() <= row.now();
    return row.copy()
        .priority(due.priority())
        .orderTime(isDue ? Math.min(row.now(), row.orderTime() - headStart) : row.orderTime())
        .row();
  }

  private Done move(String kind, TaskRow row, TaskRow moved) {
    if (moved.equals(row)) {
      return null;
    }
    taskActs.reschedule(row, moved);
    TaskId id = row.id();
    return Done.telling(
        Act.onTask(kind, id, row.status(), row.status())
            .with(new Moved(Due.of(row), Due.of(moved))),
        new TasksWaiting(id.type(), Set.of(id.table()), Set.of(row.stage()), false));
  }

  private static void requireMovable(TaskRow row) {
    if (row.status() != TaskStatus.WAITING) {
      throw new TransitionNotAllowedException(
          row.id(), "only a waiting task can be moved in time, this one is " + row.status());
    }
    if (row.fire() != null && row.fire().fireTime() > row.now()) {
      throw new TransitionNotAllowedException(
          row.id(), "its schedule made it ahead of its fire time; trigger the schedule instead");
    }
  }

  /**
   * Ends the lease of an executing task before its time: the task waits again, and neither a retry
   * nor a delivery is used up. A report of the hold is accepted until the next one, as after any
   * lease.
   *
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if the hold is another one
   * @throws TransitionNotAllowedException if the task is not executing
   */
  void expireLease(TaskId id, int leaseEpoch, Reason why) {
    once(id, new Expected(leaseEpoch, null), why, this::expireLease);
  }

  /** The same for the last hold of a locked row. */
  public Done expireLease(TaskRow row) {
    TaskId id = row.id();
    if (row.status() != TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(
          id, "only an executing task has a lease, this one is " + row.status());
    }
    TaskTransition end = HoldEnd.leaseEnded(row);
    transitions.apply(id.table(), List.of(end));
    return new Done(
        Act.onTask("EXPIRE_LEASE", id, row.status(), end.after().status())
            .with(Map.of("workerId", row.workerId(), "leaseEpoch", row.leaseEpoch())),
        new TasksWaiting(id.type()), // there is room within max_executing, too
        () -> pulse.expired(end, HoldEnd.Verdict.OPERATOR));
  }

  private void once(TaskId id, Expected expected, Reason why, RowAct act) {
    Done done =
        transactions.execute(
            () -> {
              Done made = act.on(lock(id, expected));
              if (made != null) {
                acts.record(made.act().by(why));
              }
              return made;
            });
    if (done != null) {
      if (done.news() != null) {
        events.publish(done.news());
      }
      done.counted().run();
    }
  }

  private TaskRow lock(TaskId id, Expected expected) {
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
    TaskRow row =
        tasks.lock(id.table(), List.of(id.number())).stream()
            .findFirst()
            .orElseThrow(() -> new TaskNotFoundException(id));
    expected.require(row);
    return row;
  }
}
