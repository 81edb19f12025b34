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
import io.asyncflow.flowsvr.operator.RowAct.Done;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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
  private final RowActs rowActs;
  private final TaskCreator creator;
  private final CopyStore copies;
  private final Acts acts;
  private final ActStore recorded;
  private final Lanes lanes;
  private final RetryingTransactions transactions;
  private final Events events;

  OperatorActs(
      TaskFamilies families,
      NewTaskTables newTaskTables,
      TaskStore tasks,
      RowActs rowActs,
      TaskCreator creator,
      CopyStore copies,
      Acts acts,
      ActStore recorded,
      Lanes lanes,
      RetryingTransactions transactions,
      Events events) {
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.tasks = tasks;
    this.rowActs = rowActs;
    this.creator = creator;
    this.copies = copies;
    this.acts = acts;
    this.recorded = recorded;
    this.lanes = lanes;
    this.transactions = transactions;
    this.events = events;
  }

  /**
   * Cancels a task. The row keeps the holder's epoch and worker, so the next heartbeat tells the
   * holder; its report is refused. Cancelling a cancelled task changes nothing.
   *
   * @throws TransitionNotAllowedException if the task is done or failed
   */
  public void cancel(TaskId id, Expected expected, Reason why) {
    once(id, expected, why, rowActs::cancel);
  }

  /**
   * Pauses a task: it keeps its stage and its order time, and no worker gets it before a resume.
   * Pausing a paused task changes nothing.
   *
   * @param stop whether the hold of an executing task is ended. The next heartbeat tells the
   *     holder, its report is refused, and the attempt does not count
   * @throws TransitionNotAllowedException if the task has ended, or executes and is not stopped
   */
  public void pause(TaskId id, boolean stop, Expected expected, Reason why) {
    once(id, expected, why, row -> rowActs.pause(row, stop));
  }

  /**
   * Lets a paused task wait again. Resuming a task that is not paused changes nothing.
   *
   * @throws TransitionNotAllowedException if the task has ended
   */
  public void resume(TaskId id, Expected expected, Reason why) {
    once(id, expected, why, rowActs::resume);
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
    requireTable(id);
    boolean isInRow =
        tell(
            transactions.execute(
                () -> {
                  if (!newTaskTables.enter(id.table())) {
                    find(id).ifPresent(expected::require);
                    return null; // the table is drained
                  }
                  return act(id, expected, why, rowActs::retry);
                }));
    if (isInRow) {
      return id;
    }
    Optional<TaskId> copy = copies.lastCopyOf(id);
    if (copy.isEmpty()) {
      return copy(id, why, acts::record, () -> {});
    }
    return find(copy.get()).filter(TaskActs::isRetryable).isPresent()
        ? retry(copy.get(), why)
        : copy.get();
  }

  /**
   * Retries a failed or cancelled task in a drained table by a copy of it, unless there is one: the
   * copy is another task.
   *
   * @param record records the act
   * @param join further work in the same transaction
   * @return whether a copy was made
   */
  public boolean retryByCopy(TaskId id, Reason why, Consumer<Act> record, Runnable join) {
    requireTable(id);
    if (copies.lastCopyOf(id).isPresent()) {
      return false;
    }
    copy(id, why, record, join);
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

  private TaskId copy(TaskId id, Reason why, Consumer<Act> record, Runnable join) {
    refuseIfOfAJob(id);
    TaskRow row =
        transactions.execute(
            () -> {
              TaskRow locked = lock(id);
              TaskActs.requireRetryable(locked);
              return locked;
            });
    // The key makes concurrent retries create one copy.
    TaskDraft copy =
        TaskDraft.copyOf(row, "retry-of-" + id + "-" + row.leaseEpoch())
            .withWorkers(lanes.workersOf(row.lane()));
    CreateCall call =
        CreateCall.of(List.of(copy))
            .and(
                made -> {
                  record.accept(actOf(row, made.get(0)).by(why));
                  join.run();
                });
    return creator.create(call).get(0);
  }

  /**
   * Commits with the copy: from then on the original's objects stay even if its table is dropped.
   */
  private Act actOf(TaskRow origin, TaskId copy) {
    TaskId id = origin.id();
    if (!newTaskTables.keep(id.table())) {
      throw TaskNotFoundException.dropped(id);
    }
    copies.insert(origin, copy);
    return Act.onTask(CopyStore.RETRY, id, origin.status(), origin.status()).making(copy);
  }

  /**
   * Forces a status.
   *
   * @param status any status but executing, which only a hold sets
   * @throws TransitionNotAllowedException if it is executing
   */
  public void setStatus(TaskId id, TaskStatus status, Expected expected, Reason why) {
    RowActs.requireForcible(id, status);
    requireTable(id);
    tell(
        transactions.execute(
            () -> {
              if (status == TaskStatus.WAITING && !newTaskTables.enter(id.table())) {
                throw drained(id);
              }
              return act(id, expected, why, row -> rowActs.setStatus(row, status));
            }));
  }

  /** The refusal of a forced status of a task in a table that cannot have waiting tasks. */
  public static TransitionNotAllowedException drained(TaskId id) {
    return new TransitionNotAllowedException(
        id, "its table holds only finished tasks by now; retry makes a copy");
  }

  private void once(TaskId id, Expected expected, Reason why, RowAct act) {
    tell(transactions.execute(() -> act(id, expected, why, act)));
  }

  /** Does an act and records it; {@code null} if there was nothing to do. */
  private Done act(TaskId id, Expected expected, Reason why, RowAct act) {
    TaskRow row = lock(id);
    expected.require(row);
    Done done = act.on(row);
    if (done != null) {
      acts.record(done.act().by(why));
    }
    return done;
  }

  /** Tells of what was committed; returns whether anything was done. */
  private boolean tell(Done done) {
    if (done == null) {
      return false;
    }
    if (done.news() != null) {
      events.publish(done.news());
    }
    done.counted().run();
    return true;
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

  private TaskRow lock(TaskId id) {
    requireTable(id);
    return tasks.lock(id.table(), List.of(id.number())).stream()
        .findFirst()
        .orElseThrow(() -> new TaskNotFoundException(id));
  }
}
