package io.asyncflow.flowsvr.operator;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.act.ActFilter;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.ActStore;
import io.asyncflow.flowsvr.act.ActStore.Place;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;

/**
 * The acts of operators on tasks: the only way out of a final status, into a pause and out of it.
 * Each act leaves a row with the operator and the reason.
 */
@Service
public class OperatorActs {

  private final TaskFamilies families;
  private final NewTaskTables newTaskTables;
  private final TaskStore tasks;
  private final TaskCreator creator;
  private final CopyStore copies;
  private final Acts acts;
  private final ActStore recorded;
  private final Lanes lanes;
  private final RetryingTransactions transactions;
  private final TaskMeters meters;
  private final Events events;

  OperatorActs(
      TaskFamilies families,
      NewTaskTables newTaskTables,
      TaskStore tasks,
      TaskCreator creator,
      CopyStore copies,
      Acts acts,
      ActStore recorded,
      Lanes lanes,
      RetryingTransactions transactions,
      TaskMeters meters,
      Events events) {
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.tasks = tasks;
    this.creator = creator;
    this.copies = copies;
    this.acts = acts;
    this.recorded = recorded;
    this.lanes = lanes;
    this.transactions = transactions;
    this.meters = meters;
    this.events = events;
  }

  /**
   * Cancels a task. The row keeps the holder's epoch and worker, so the next heartbeat tells the
   * holder; its report is refused. Cancelling a cancelled task changes nothing.
   *
   * @throws TransitionNotAllowedException if the task is done or failed
   */
  public void cancel(TaskId id, Reason why) {
    cancel(id, Expected.ANYTHING, why);
  }

  /** The same for a task that is as the caller has seen it. */
  void cancel(TaskId id, Expected expected, Reason why) {
    transactions.execute(
        () -> {
          TaskRow row = lock(id);
          expected.require(row);
          if (row.status() == TaskStatus.CANCELLED) {
            return null;
          }
          if (row.status().isFinal()) {
            throw TransitionNotAllowedException.afterEnd(id, row.status());
          }
          tasks.force(row, TaskStatus.CANCELLED);
          acts.record(Act.onTask("CANCEL", id, row.status(), TaskStatus.CANCELLED).by(why));
          return null;
        });
  }

  /**
   * Pauses a task: it keeps its stage and its order time, and no worker gets it before a resume.
   * Pausing a paused task changes nothing.
   *
   * @param stop whether the hold of an executing task is ended. The next heartbeat tells the
   *     holder, its report is refused, and the attempt does not count
   * @throws TransitionNotAllowedException if the task has ended, or executes and is not stopped
   */
  public void pause(TaskId id, boolean stop, Reason why) {
    boolean isStopped =
        transactions.execute(
            () -> {
              TaskRow row = lock(id);
              if (row.status() == TaskStatus.PAUSED) {
                return false;
              }
              if (row.status().isFinal()) {
                throw TransitionNotAllowedException.afterEnd(id, row.status());
              }
              if (row.status() == TaskStatus.EXECUTING && !stop) {
                throw new TransitionNotAllowedException(
                    id, "a worker holds it; stop=1 ends the hold and pauses it");
              }
              boolean endsHold = row.status() == TaskStatus.EXECUTING;
              if (endsHold) {
                tasks.redirect(row, HoldEnd.paused(row));
                meters.revoked(id.type().name());
              } else {
                tasks.pause(List.of(row));
              }
              acts.record(Act.onTask("PAUSE", id, row.status(), TaskStatus.PAUSED).by(why));
              return endsHold;
            });
    if (isStopped) { // there is room within max_executing
      events.publish(new TasksWaiting(id.type()));
    }
  }

  /**
   * Lets a paused task wait again. Resuming a task that is not paused changes nothing.
   *
   * @throws TransitionNotAllowedException if the task has ended
   */
  public void resume(TaskId id, Reason why) {
    transactions.execute(
        () -> {
          TaskRow row = lock(id);
          if (row.status().isFinal()) {
            throw TransitionNotAllowedException.afterEnd(id, row.status());
          }
          if (row.status() == TaskStatus.PAUSED) {
            tasks.resume(List.of(row));
            acts.record(Act.onTask("RESUME", id, TaskStatus.PAUSED, TaskStatus.WAITING).by(why));
          }
          return null;
        });
    events.publish(new TasksWaiting(id.type()));
  }

  /**
   * Runs a failed or cancelled task again from the stage it stopped at, with a fresh budget of
   * retries. A task in a drained table is copied into a new task, once: a further retry applies to
   * the copy.
   *
   * @return the id of the task from now on: the same, or the copy's
   * @throws TransitionNotAllowedException if the task is neither failed nor cancelled
   */
  public TaskId retry(TaskId id, Reason why) {
    return retry(id, Expected.ANYTHING, why);
  }

  /** The same for a task that is as the caller has seen it. */
  TaskId retry(TaskId id, Expected expected, Reason why) {
    if (transactions.execute(() -> again(id, expected, why))) {
      events.publish(new TasksWaiting(id.type()));
      return id;
    }
    Optional<TaskId> copy = copies.lastCopyOf(id);
    if (copy.isEmpty()) {
      refuseIfOfAJob(id);
      return copy(id, why);
    }
    return find(copy.get()).filter(OperatorActs::isRetryable).isPresent()
        ? retry(copy.get(), why)
        : copy.get();
  }

  /** Retries a task in its row; false if the table is drained. */
  private boolean again(TaskId id, Expected expected, Reason why) {
    requireTable(id);
    if (!newTaskTables.enter(id.table())) {
      find(id).ifPresent(expected::require);
      return false;
    }
    TaskRow row = lockRetryable(id, expected);
    tasks.revive(row);
    acts.record(Act.onTask(CopyStore.RETRY, id, row.status(), TaskStatus.WAITING).by(why));
    return true;
  }

  /** A copy would belong to no job. */
  private void refuseIfOfAJob(TaskId id) {
    find(id)
        .map(TaskRow::place)
        .ifPresent(
            place -> {
              throw new TransitionNotAllowedException(
                  id,
                  "its table holds only finished tasks by now; retry its job, " + place.jobId());
            });
  }

  private TaskId copy(TaskId id, Reason why) {
    TaskRow row = transactions.execute(() -> lockRetryable(id, Expected.ANYTHING));
    // The key makes concurrent retries create one copy.
    TaskDraft copy =
        TaskDraft.copyOf(row, "retry-of-" + id + "-" + row.leaseEpoch())
            .withWorkers(lanes.workersOf(row.lane()));
    CreateCall call = CreateCall.of(List.of(copy)).and(made -> record(why, row, made.get(0)));
    return creator.create(call).get(0);
  }

  /**
   * Commits with the copy: from then on the original's objects stay even if its table is dropped.
   */
  private void record(Reason why, TaskRow origin, TaskId copy) {
    TaskId id = origin.id();
    if (!newTaskTables.keep(id.table())) {
      throw TaskNotFoundException.dropped(id);
    }
    copies.insert(origin, copy);
    acts.record(
        Act.onTask(CopyStore.RETRY, id, origin.status(), origin.status()).by(why).making(copy));
  }

  /**
   * Forces a status.
   *
   * @param status any status but executing, which only a hold sets
   * @throws TransitionNotAllowedException if it is executing
   */
  public void setStatus(TaskId id, TaskStatus status, Reason why) {
    setStatus(id, status, Expected.ANYTHING, why);
  }

  /** The same for a task that is as the caller has seen it. */
  void setStatus(TaskId id, TaskStatus status, Expected expected, Reason why) {
    if (status == TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(id, "only a hold makes a task executing");
    }
    requireTable(id);
    TaskStatus before =
        transactions.execute(
            () -> {
              if (status == TaskStatus.WAITING && !newTaskTables.enter(id.table())) {
                throw new TransitionNotAllowedException(
                    id, "its table holds only finished tasks by now; retry makes a copy");
              }
              TaskRow row = lock(id);
              expected.require(row);
              if (status == TaskStatus.WAITING) {
                tasks.revive(row);
              } else {
                tasks.force(row, status);
              }
              acts.record(Act.onTask("SET_STATUS", id, row.status(), status).by(why));
              return row.status();
            });
    if (status == TaskStatus.WAITING) {
      events.publish(new TasksWaiting(id.type()));
    } else if (status == TaskStatus.FAILED && before != TaskStatus.FAILED) {
      meters.failed(id.type().name(), 1);
    }
  }

  /**
   * The acts on one task, newest first; they may outlive the task.
   *
   * @throws TaskNotFoundException if there are no acts and no such task
   */
  public List<TaskAct> actsOn(TaskId id, int limit) {
    List<TaskAct> found =
        recorded.list(ActFilter.onObject(Act.objectOf(id)), Place.NEWEST, limit).stream()
            .map(TaskAct::of)
            .toList();
    if (found.isEmpty() && find(id).isEmpty()) {
      throw new TaskNotFoundException(id);
    }
    return found;
  }

  private void requireTable(TaskId id) {
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
  }

  private Optional<TaskRow> find(TaskId id) {
    return families.has(id.table()) ? tasks.find(id) : Optional.empty();
  }

  private static boolean isRetryable(TaskRow row) {
    return row.status() == TaskStatus.FAILED || row.status() == TaskStatus.CANCELLED;
  }

  private TaskRow lockRetryable(TaskId id, Expected expected) {
    TaskRow row = lock(id);
    expected.require(row);
    if (!isRetryable(row)) {
      throw new TransitionNotAllowedException(
          id, "only a failed or cancelled task can be retried, this one is " + row.status());
    }
    return row;
  }

  private TaskRow lock(TaskId id) {
    requireTable(id);
    return tasks.lock(id.table(), List.of(id.number())).stream()
        .findFirst()
        .orElseThrow(() -> new TaskNotFoundException(id));
  }
}
