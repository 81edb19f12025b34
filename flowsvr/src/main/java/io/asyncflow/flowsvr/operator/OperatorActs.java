package io.asyncflow.flowsvr.operator;

import static java.util.Comparator.comparingLong;

import io.asyncflow.api.TaskStatus;
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
import java.util.stream.Stream;
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
  private final AuditStore audit;
  private final ActStore acts;
  private final Lanes lanes;
  private final RetryingTransactions transactions;
  private final TaskMeters meters;
  private final Events events;

  OperatorActs(
      TaskFamilies families,
      NewTaskTables newTaskTables,
      TaskStore tasks,
      TaskCreator creator,
      AuditStore audit,
      ActStore acts,
      Lanes lanes,
      RetryingTransactions transactions,
      TaskMeters meters,
      Events events) {
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.tasks = tasks;
    this.creator = creator;
    this.audit = audit;
    this.acts = acts;
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
  public void cancel(TaskId id, Act act) {
    transactions.execute(
        () -> {
          TaskRow row = lock(id);
          if (row.status() == TaskStatus.CANCELLED) {
            return null;
          }
          if (row.status().isFinal()) {
            throw TransitionNotAllowedException.afterEnd(id, row.status());
          }
          tasks.force(row, TaskStatus.CANCELLED);
          audit.insert(act, id, row.status(), TaskStatus.CANCELLED, null);
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
  public void pause(TaskId id, boolean stop, Act act) {
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
              acts.record(act, id, row.status(), TaskStatus.PAUSED, null);
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
  public void resume(TaskId id, Act act) {
    transactions.execute(
        () -> {
          TaskRow row = lock(id);
          if (row.status().isFinal()) {
            throw TransitionNotAllowedException.afterEnd(id, row.status());
          }
          if (row.status() == TaskStatus.PAUSED) {
            tasks.resume(List.of(row));
            acts.record(act, id, TaskStatus.PAUSED, TaskStatus.WAITING, null);
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
  public TaskId retry(TaskId id, Act act) {
    if (transactions.execute(() -> again(id, act))) {
      events.publish(new TasksWaiting(id.type()));
      return id;
    }
    Optional<TaskId> copy = audit.lastCopyOf(id);
    if (copy.isEmpty()) {
      refuseIfOfAJob(id);
      return copy(id, act);
    }
    return find(copy.get()).filter(OperatorActs::isRetryable).isPresent()
        ? retry(copy.get(), act)
        : copy.get();
  }

  /** Retries a task in its row; false if the table is drained. */
  private boolean again(TaskId id, Act act) {
    requireTable(id);
    if (!newTaskTables.enter(id.table())) {
      return false;
    }
    TaskRow row = lockRetryable(id);
    tasks.revive(row);
    audit.insert(act, id, row.status(), TaskStatus.WAITING, null);
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

  private TaskId copy(TaskId id, Act act) {
    TaskRow row = transactions.execute(() -> lockRetryable(id));
    // The key makes concurrent retries create one copy.
    TaskDraft copy =
        TaskDraft.copyOf(row, "retry-of-" + id + "-" + row.leaseEpoch())
            .withWorkers(lanes.workersOf(row.lane()));
    CreateCall call = CreateCall.of(List.of(copy)).and(made -> record(act, row, made.get(0)));
    return creator.create(call).get(0);
  }

  /**
   * Commits with the copy: from then on the original's objects stay even if its table is dropped.
   */
  private void record(Act act, TaskRow origin, TaskId copy) {
    TaskId id = origin.id();
    if (!newTaskTables.keep(id.table())) {
      throw TaskNotFoundException.dropped(id);
    }
    audit.insert(act, id, origin.status(), origin.status(), copy);
  }

  /**
   * Forces a status.
   *
   * @param status any status but executing, which only a hold sets
   * @throws TransitionNotAllowedException if it is executing
   */
  public void setStatus(TaskId id, TaskStatus status, Act act) {
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
              if (status == TaskStatus.WAITING) {
                tasks.revive(row);
              } else {
                tasks.force(row, status);
              }
              audit.insert(act, id, row.status(), status, null);
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
  public List<AuditEntry> actsOn(TaskId id, int limit) {
    List<AuditEntry> acts =
        Stream.concat(audit.find(id, limit).stream(), this.acts.find(id, limit).stream())
            .sorted(comparingLong(AuditEntry::time).reversed())
            .limit(limit)
            .toList();
    if (acts.isEmpty() && find(id).isEmpty()) {
      throw new TaskNotFoundException(id);
    }
    return acts;
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

  private TaskRow lockRetryable(TaskId id) {
    TaskRow row = lock(id);
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
