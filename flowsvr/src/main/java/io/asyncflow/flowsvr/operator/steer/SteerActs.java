package io.asyncflow.flowsvr.operator.steer;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.operator.Expected;
import io.asyncflow.flowsvr.pulse.TaskPulse;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.springframework.stereotype.Service;

/** Changes when a waiting task is due and how urgent it is, and ends leases before their time. */
@Service
class SteerActs {

  private final TaskFamilies families;
  private final TaskStore tasks;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final TaskMeters meters;
  private final TaskPulse pulse;
  private final Events events;

  SteerActs(
      TaskFamilies families,
      TaskStore tasks,
      Acts acts,
      RetryingTransactions transactions,
      TaskMeters meters,
      TaskPulse pulse,
      Events events) {
    this.families = families;
    this.tasks = tasks;
    this.acts = acts;
    this.transactions = transactions;
    this.meters = meters;
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
    move(
        "RUN_NOW",
        id,
        expected,
        why,
        row -> {
          if (row.orderTime() <= row.now()) {
            throw new TransitionNotAllowedException(id, "it is due already");
          }
          return row.copy().orderTime(row.now() - row.priority() * 1000L).row();
        });
  }

  /**
   * When a task shall be due, or how urgent it shall be; one of the three is given.
   *
   * @param runAt epoch ms
   * @param delayMs from now
   * @param priority seconds of head start
   */
  record Wish(Long runAt, Long delayMs, Integer priority) {}

  /**
   * Changes when a waiting task is due, or how urgent it is. The priority of a task that is not due
   * does not change when it becomes due, and one that is due stays so.
   *
   * @throws TransitionNotAllowedException if it does not wait, or if its fire time has not come
   */
  void reschedule(TaskId id, Wish wish, Expected expected, Reason why) {
    move("RESCHEDULE", id, expected, why, row -> rescheduled(row, wish));
  }

  private static TaskRow rescheduled(TaskRow row, Wish wish) {
    if (wish.runAt() != null) {
      return row.copy().orderTime(wish.runAt()).row();
    }
    if (wish.delayMs() != null) {
      return row.copy().orderTime(row.now() + wish.delayMs()).row();
    }
    long headStart = (wish.priority() - row.priority()) * 1000L;
    boolean isDue = row.orderTime() <= row.now();
    return row.copy()
        .priority(wish.priority())
        .orderTime(isDue ? Math.min(row.now(), row.orderTime() - headStart) : row.orderTime())
        .row();
  }

  private void move(
      String kind, TaskId id, Expected expected, Reason why, UnaryOperator<TaskRow> decision) {
    TaskRow after =
        transactions.execute(
            () -> {
              TaskRow row = lock(id, expected);
              requireMovable(row);
              TaskRow moved = decision.apply(row);
              if (!moved.equals(row)) {
                tasks.reschedule(row, moved);
                acts.record(
                    Act.onTask(kind, id, row.status(), row.status())
                        .by(why)
                        .with(new Moved(Due.of(row), Due.of(moved))));
              }
              return moved;
            });
    events.publish(new TasksWaiting(id.type(), Set.of(id.table()), Set.of(after.stage()), false));
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
    TaskTransition ended =
        transactions.execute(
            () -> {
              TaskRow row = lock(id, new Expected(leaseEpoch, null));
              if (row.status() != TaskStatus.EXECUTING) {
                throw new TransitionNotAllowedException(
                    id, "only an executing task has a lease, this one is " + row.status());
              }
              TaskTransition end = HoldEnd.leaseEnded(row);
              tasks.apply(id.table(), List.of(end));
              acts.record(
                  Act.onTask("EXPIRE_LEASE", id, row.status(), end.after().status())
                      .by(why)
                      .with(Map.of("workerId", row.workerId(), "leaseEpoch", leaseEpoch)));
              return end;
            });
    meters.leaseExpired(id.type().name(), HoldEnd.Verdict.OPERATOR.name());
    pulse.expired(ended, HoldEnd.Verdict.OPERATOR);
    events.publish(new TasksWaiting(id.type())); // there is room within max_executing, too
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
