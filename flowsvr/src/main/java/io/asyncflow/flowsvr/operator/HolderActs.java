package io.asyncflow.flowsvr.operator;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskActStore;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.springframework.stereotype.Service;

/**
 * The acts of operators on the holders of a task: which workers may hold it, and that its run
 * starts again. A hold that an act ends is lost to its worker: the next heartbeat says so, and its
 * report is refused.
 */
@Service
public class HolderActs {

  private final TaskFamilies families;
  private final TaskStore tasks;
  private final TaskActStore taskActs;
  private final Lanes lanes;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final TaskMeters meters;
  private final Events events;

  HolderActs(
      TaskFamilies families,
      TaskStore tasks,
      TaskActStore taskActs,
      Lanes lanes,
      Acts acts,
      RetryingTransactions transactions,
      TaskMeters meters,
      Events events) {
    this.families = families;
    this.tasks = tasks;
    this.taskActs = taskActs;
    this.lanes = lanes;
    this.acts = acts;
    this.transactions = transactions;
    this.meters = meters;
    this.events = events;
  }

  /**
   * What an act changed.
   *
   * @param ended the worker whose hold it ended; {@code null} if it ended none
   */
  private record Change(
      Collection<String> workersBefore, Collection<String> workers, String ended) {}

  /**
   * Sets the workers that may hold the task, and ends its hold by any other worker. If the lease of
   * that hold has run out, its late report is refused from now on.
   *
   * @param workers at most {@value io.asyncflow.rules.Lane#WORKERS}; empty for all
   * @throws TransitionNotAllowedException if the task is final, or a copy of a team
   */
  public void setWorkers(TaskId id, Set<String> workers, Reason why) {
    requireTable(id);
    TaskActs.requireReassignable(first(id, tasks.findBriefly(id.table(), List.of(id.number()))));
    String lane = lanes.of(workers, id.table()); // before the transaction
    change("SET_WORKERS", id, why, row -> TaskActs.reassigned(row, workers, lane));
  }

  /**
   * Ends the hold of an executing task, which waits again and is due at once.
   *
   * @throws TransitionNotAllowedException if it is not executing
   */
  public void restart(TaskId id, Expected expected, Reason why) {
    requireTable(id);
    change(
        "RESTART",
        id,
        why,
        row -> {
          expected.require(row);
          return TaskActs.restarted(row);
        });
  }

  private void change(String kind, TaskId id, Reason why, UnaryOperator<TaskRow> decision) {
    TaskRow after =
        transactions.execute(
            () -> {
              TaskRow row = lock(id);
              TaskRow changed = decision.apply(row);
              if (changed.equals(row)) {
                return row;
              }
              taskActs.redirect(row, changed);
              boolean ended = changed.reportedEpoch() > row.reportedEpoch();
              acts.record(
                  Act.onTask(kind, id, row.status(), changed.status())
                      .by(why)
                      .with(
                          new Change(
                              lanes.workersOf(row.lane()),
                              lanes.workersOf(changed.lane()),
                              ended ? row.workerId() : null)));
              if (ended) {
                meters.revoked(id.type().name());
              }
              return changed;
            });
    if (after.status() == TaskStatus.WAITING) {
      events.publish(new TasksWaiting(id.type(), Set.of(id.table()), Set.of(after.stage()), false));
    }
  }

  private void requireTable(TaskId id) {
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
  }

  private TaskRow lock(TaskId id) {
    return first(id, tasks.lock(id.table(), List.of(id.number())));
  }

  private static TaskRow first(TaskId id, List<TaskRow> rows) {
    return rows.stream().findFirst().orElseThrow(() -> new TaskNotFoundException(id));
  }
}
