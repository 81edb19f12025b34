package io.asyncflow.flowsvr.queue.report;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.LeaseLostException;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.RetryPolicy;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;

/**
 * Applies the partial updates of old clients without leases. Thread-safe.
 *
 * <p>The updates are not fenced, so they are accepted only where they cannot overwrite a worker's
 * result: for a waiting task, a task that was held without a worker id, and a task whose lease has
 * run out.
 */
@Service
public class TaskUpdater {

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final TaskPulse pulse;
  private final Events events;

  TaskUpdater(
      TaskTypes types,
      TaskFamilies families,
      TaskStore tasks,
      TransitionStore transitions,
      Acts acts,
      RetryingTransactions transactions,
      TaskPulse pulse,
      Events events) {
    this.types = types;
    this.families = families;
    this.tasks = tasks;
    this.transitions = transitions;
    this.acts = acts;
    this.transactions = transactions;
    this.pulse = pulse;
    this.events = events;
  }

  /**
   * Writes the fields of the update.
   *
   * @throws TaskNotFoundException if there is no such task
   * @throws io.asyncflow.flowsvr.edge.access.OutOfScopeException if its stage, its new one or its
   *     last worker is beyond the caller's scope
   * @throws io.asyncflow.flowsvr.edge.access.MissingVerbException if the caller may not change a
   *     field
   * @throws LeaseLostException if a worker holds the task under a live lease
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#SEALING_RULE} if
   *     the type does not take the context
   * @throws TransitionNotAllowedException if the task is final, unless the update repeats its
   *     values; or if the update sets a task to executing that is not held
   */
  public void update(TaskUpdate update, Caller caller) {
    TaskId id = update.id();
    TaskTypeConfig type = types.find(id.type()).orElseThrow(() -> new TaskNotFoundException(id));
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
    type.sealRule().check(id.type().name(), update.taskContext(), "taskContext");
    Optional<TaskTransition> written =
        transactions.execute(
            () -> {
              TaskRow row =
                  tasks.lock(id.table(), List.of(id.number())).stream()
                      .findFirst()
                      .orElseThrow(() -> new TaskNotFoundException(id));
              requireFor(row, update, caller);
              if (row.status().isFinal()) {
                if (!update.isDoneIn(row, row.retryPolicy(type), caller)) {
                  throw TransitionNotAllowedException.afterEnd(id, row.status());
                }
                return Optional.empty();
              }
              update.requireFor(row, row.retryPolicy(type), caller);
              refuseIfHeld(row);
              TaskStatus status = statusAfter(row, update);
              RetryPolicy policy = row.retryPolicy(type);
              TaskTransition change = update.transitionOf(row, status, policy);
              if (isOfOldClient(row)) {
                transitions.apply(List.of(change));
              } else {
                transitions.change(List.of(change));
              }
              if (update.status() == TaskStatus.EXECUTING) {
                tasks.renew(id, Leases.first("", type));
              }
              if (!row.isUnderLiveLease()) { // otherwise a client without leases reports its run
                acts.record(
                    Act.onTask("UPDATE", id, row.status(), status)
                        .with(update.changeOf(row, policy)));
              }
              return Optional.of(change);
            });
    written.ifPresent(
        change -> {
          if (isOfOldClient(change.before()) && change.kind() != null) {
            pulse.reported(update.reportOf(change));
          }
          if (change.makesWaiting()) {
            events.publish(new TasksWaiting(id.type()));
          }
        });
  }

  /** As of a report: the stages, before and after, and who has held it, are the caller's. */
  private static void requireFor(TaskRow row, TaskUpdate update, Caller caller) {
    caller.requireStage(row.stage());
    if (update.taskStage() != null) {
      caller.requireStage(update.taskStage());
    }
    caller.requireWorker(row.workerId());
  }

  private static void refuseIfHeld(TaskRow row) {
    if (row.isUnderLiveLease() && !row.workerId().isEmpty()) {
      throw new LeaseLostException(
          row.id(),
          "worker " + row.workerId() + " holds it; wait until its lease ends, or cancel the task");
    }
  }

  private static TaskStatus statusAfter(TaskRow row, TaskUpdate update) {
    TaskStatus status = update.status() == null ? row.status() : update.status();
    if (row.status() == TaskStatus.PAUSED && status != TaskStatus.PAUSED) {
      throw new TransitionNotAllowedException(
          row.id(), "the task is paused; only an operator's resume lets it go on");
    }
    if (status == TaskStatus.EXECUTING && row.status() != TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(
          row.id(), "only a hold sets a waiting task to executing");
    }
    return status;
  }

  /** Whether a client without leases holds the task, whose update is its report. */
  private static boolean isOfOldClient(TaskRow row) {
    return row.status() == TaskStatus.EXECUTING && row.workerId().isEmpty();
  }
}
