package io.asyncflow.flowsvr.operator;

import io.asyncflow.api.act.ActFilter;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.ActStore;
import io.asyncflow.flowsvr.act.ActStore.Place;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.create.CreateCall;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.operator.RowChanger.Decided;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskAct;
import io.asyncflow.rules.TaskAct.Arguments;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
  private final RowChanger changer;
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
      RowChanger changer,
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
    this.changer = changer;
    this.creator = creator;
    this.copies = copies;
    this.acts = acts;
    this.recorded = recorded;
    this.lanes = lanes;
    this.transactions = transactions;
    this.events = events;
  }

  /**
   * Does an act on a task. A repeat of an act changes nothing.
   *
   * @throws TransitionNotAllowedException if the task is in no state for it
   */
  public void act(TaskId id, TaskAct act, Arguments with, Expected expected, Reason why) {
    if (act == TaskAct.SET_STATUS) {
      TaskActs.requireForcible(id, with.status());
    }
    requireTable(id);
    publish(
        transactions.execute(
            () -> {
              if (act.revives(with) && !newTaskTables.enter(id.table())) {
                throw drained(id);
              }
              return change(id, act, with, expected, why);
            }));
  }

  /**
   * Cancels a task. The row keeps the holder's epoch and worker, so the next heartbeat tells the
   * holder; its report is refused.
   *
   * @throws TransitionNotAllowedException if the task is done or failed
   */
  public void cancel(TaskId id, Expected expected, Reason why) {
    act(id, TaskAct.CANCEL, Arguments.NONE, expected, why);
  }

  /**
   * Sets the workers that may hold the task, and ends its hold by any other worker: the next
   * heartbeat says so. If the lease of that hold has run out, its late report is refused from now
   * on.
   *
   * @param workers at most {@value io.asyncflow.rules.Lane#WORKERS}; empty for all
   * @throws TransitionNotAllowedException if the task is final, or a copy of a team
   */
  public void setWorkers(TaskId id, Set<String> workers, Reason why) {
    requireTable(id);
    TaskActs.requireReassignable(first(id, tasks.find(id.table(), List.of(id.number()))));
    String lane = lanes.of(workers, id.table()); // before the transaction
    act(id, TaskAct.SET_WORKERS, Arguments.workers(workers, lane), Expected.ANYTHING, why);
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
    Decided decided =
        transactions.execute(
            () -> {
              if (!newTaskTables.enter(id.table())) {
                find(id).ifPresent(expected::require);
                return null; // the table is drained
              }
              return change(id, TaskAct.RETRY, Arguments.NONE, expected, why);
            });
    publish(decided);
    if (decided != null) {
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

  /** The refusal of a forced status of a task in a table that cannot have waiting tasks. */
  public static TransitionNotAllowedException drained(TaskId id) {
    return new TransitionNotAllowedException(
        id, "its table holds only finished tasks by now; retry makes a copy");
  }

  /** Does an act and records it; {@code null} if there was nothing to do. */
  private Decided change(TaskId id, TaskAct act, Arguments with, Expected expected, Reason why) {
    TaskRow row = lock(id);
    expected.require(row);
    Decided decided = changer.decide(row, act, with);
    if (decided != null) {
      changer.write(act, List.of(decided));
      acts.record(decided.act().by(why));
    }
    return decided;
  }

  private void publish(Decided decided) {
    if (decided != null && decided.news() != null) {
      events.publish(decided.news());
    }
  }

  /**
   * The acts on one task, newest first; they may outlive the task.
   *
   * @throws TaskNotFoundException if there are no acts and no such task
   */
  public List<AuditEntry> actsOn(TaskId id, int limit) {
    List<AuditEntry> found =
        recorded.list(ActFilter.onObject(Act.objectOf(id)), Place.NEWEST, limit).stream()
            .map(AuditEntry::of)
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
    return first(id, tasks.lock(id.table(), List.of(id.number())));
  }

  private static TaskRow first(TaskId id, List<TaskRow> rows) {
    return rows.stream().findFirst().orElseThrow(() -> new TaskNotFoundException(id));
  }
}
