package io.asyncflow.flowsvr.operate.operator;

import io.asyncflow.api.TaskAct;
import io.asyncflow.api.find.SteerClient.Changes;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.RowChanger.Decided;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.CopyStore;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;

/**
 * The acts of operators on single tasks: the only way out of a final status, into a pause and out
 * of it. Each act leaves a row with the operator and the reason.
 */
@Service
public class OperatorActs {

  private final TaskFamilies families;
  private final NewTaskTables newTaskTables;
  private final TaskStore tasks;
  private final RowChanger changer;
  private final TaskCreator creator;
  private final SealedTexts sealedTexts;
  private final CopyStore copies;
  private final Acts acts;
  private final Lanes lanes;
  private final RetryingTransactions transactions;
  private final Events events;

  OperatorActs(
      TaskFamilies families,
      NewTaskTables newTaskTables,
      TaskStore tasks,
      RowChanger changer,
      TaskCreator creator,
      SealedTexts sealedTexts,
      CopyStore copies,
      Acts acts,
      Lanes lanes,
      RetryingTransactions transactions,
      Events events) {
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.tasks = tasks;
    this.changer = changer;
    this.creator = creator;
    this.sealedTexts = sealedTexts;
    this.copies = copies;
    this.acts = acts;
    this.lanes = lanes;
    this.transactions = transactions;
    this.events = events;
  }

  /**
   * Does an act on a task. A repeat of an act changes nothing. A task in a drained table is retried
   * by a copy, once: a further retry applies to the copy.
   *
   * @return the id of the task from now on: the same, or the copy's
   * @throws TransitionNotAllowedException if the task is in no state for it
   */
  public TaskId act(TaskId id, TaskAct act, Arguments with, Expected expected, Reason why) {
    requireTable(id);
    Arguments all = act == TaskAct.SET_WORKERS ? withLane(id, with) : with;
    Decided decided =
        transactions.execute(
            () -> {
              if (TaskActs.revives(act, all) && !newTaskTables.enter(id.table())) {
                if (act != TaskAct.RETRY) {
                  throw drained(id);
                }
                find(id).ifPresent(expected::require);
                return null;
              }
              return change(id, act, all, expected, why);
            });
    if (decided == null) {
      return act == TaskAct.RETRY ? retryInDrainedTable(id, why) : id;
    }
    if (decided.news() != null) {
      events.publish(decided.news());
    }
    return id;
  }

  /** The lane of the workers, which is made before the transaction, unless it is in vain. */
  private Arguments withLane(TaskId id, Arguments with) {
    TaskActs.requireReassignable(only(id, find(id)));
    return with.inLane(lanes.of(with.workers(), id.table()));
  }

  private TaskId retryInDrainedTable(TaskId id, Reason why) {
    TaskId copy = copies.lastCopyOf(id).orElse(null);
    if (copy == null) {
      return copy(id, act -> acts.record(act.by(why)));
    }
    return find(copy).filter(TaskActs::isRetryable).isPresent()
        ? act(copy, TaskAct.RETRY, Arguments.NONE, Expected.ANYTHING, why)
        : copy;
  }

  /**
   * Retries a failed or cancelled task in a drained table by a copy of it, unless there is one: the
   * copy is another task.
   *
   * @param record records the act, in the transaction of the copy
   * @return whether a copy was made
   */
  public boolean retryByCopy(TaskId id, Consumer<Act> record) {
    requireTable(id);
    if (copies.lastCopyOf(id).isPresent()) {
      return false;
    }
    copy(id, record);
    return true;
  }

  private TaskId copy(TaskId id, Consumer<Act> record) {
    TaskRow origin = only(id, find(id));
    if (origin.place() != null) { // a copy would belong to none
      throw new TransitionNotAllowedException(
          id,
          "its table holds only finished tasks by now; retry its job, " + origin.place().jobId());
    }
    TaskActs.requireRetryable(origin);
    // The key makes concurrent retries create one copy.
    TaskDraft copy =
        TaskDraft.copyOf(origin, "retry-of-" + id + "-" + origin.leaseEpoch())
            .withWorkers(lanes.workersOf(origin.lane()));
    CreateCall call =
        CreateCall.of(List.of(copy))
            .and(made -> record.accept(copied(CopyStore.RETRY, origin, made.get(0))));
    return creator.create(call).get(0);
  }

  /**
   * Makes a new task like another one, whatever became of that one. What its context names in the
   * store stays for it, as for the copy of a retry.
   *
   * @param users those whose tasks the caller sees
   * @return the new task; the same one again for a repeated idempotency key
   * @throws TransitionNotAllowedException if the task belongs to a job
   */
  TaskId clone(TaskId id, Changes changes, Names users, Reason why) {
    TaskRow origin = only(id, find(id));
    if (origin.place() != null) {
      throw new TransitionNotAllowedException(
          id, "it belongs to job " + origin.place().jobId() + ", and a clone would not");
    }
    TaskDraft like = TaskDraft.copyOf(origin, null);
    TaskDraft clone =
        new TaskDraft(
                or(changes.userId(), like.userId()),
                like.type(),
                or(changes.taskStage(), like.stage()),
                like.scheduleLog(),
                or(changes.taskContext(), like.context()),
                or(changes.priority(), like.priority()),
                null,
                changes.runAt(),
                like.maxRetryNum(),
                like.maxRetryInterval(),
                like.maxUnexpectedRetries(),
                changes.idempotencyKey())
            .withWorkers(lanes.workersOf(origin.lane()))
            .withTraceParent(like.traceParent());
    if (changes.taskContext() != null) {
      sealedTexts.check(clone.type(), clone.context(), "taskContext");
    }
    CreateCall call =
        CreateCall.of(List.of(clone))
            .byUsers()
            .seenBy(users)
            .and(
                made -> {
                  if (!copies.isRecorded(id, made.get(0))) { // else the call is repeated
                    acts.record(copied(CopyStore.CLONE, origin, made.get(0)).by(why));
                  }
                });
    return creator.create(call).get(0);
  }

  private static <T> T or(T changed, T same) {
    return changed == null ? same : changed;
  }

  /** Commits with the copy: from then on the original's objects stay if its table is dropped. */
  private Act copied(String kind, TaskRow origin, TaskId copy) {
    TaskId id = origin.id();
    if (!newTaskTables.keep(id.table())) {
      throw TaskNotFoundException.dropped(id);
    }
    return copies.insert(kind, List.of(origin), List.of(copy)).get(0);
  }

  /** The refusal of a forced status of a task in a table that cannot have waiting tasks. */
  public static TransitionNotAllowedException drained(TaskId id) {
    return new TransitionNotAllowedException(
        id, "its table holds only finished tasks by now; retry makes a copy");
  }

  /** Does an act and records it; {@code null} if there was nothing to do. */
  private Decided change(TaskId id, TaskAct act, Arguments with, Expected expected, Reason why) {
    requireTable(id);
    TaskRow row = only(id, tasks.lock(id.table(), List.of(id.number())).stream().findFirst());
    expected.require(row);
    Decided decided = changer.decide(row, act, with);
    if (decided != null) {
      changer.write(act, List.of(decided));
      acts.record(decided.act().by(why));
    }
    return decided;
  }

  private void requireTable(TaskId id) {
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
  }

  private Optional<TaskRow> find(TaskId id) {
    return families.has(id.table()) ? tasks.find(id) : Optional.empty();
  }

  private static TaskRow only(TaskId id, Optional<TaskRow> row) {
    return row.orElseThrow(() -> new TaskNotFoundException(id));
  }
}
