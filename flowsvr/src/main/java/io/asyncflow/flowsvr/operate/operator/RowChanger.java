package io.asyncflow.flowsvr.operate.operator;

import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Does acts on tasks whose rows are locked, for single calls and for bulks: first each is decided
 * by its row, then all that were not refused are written together. Thread-safe.
 */
@Component
public class RowChanger {

  /**
   * An act that was decided.
   *
   * @param change what becomes of the row
   * @param act to be recorded in the same transaction
   * @param isRevoked whether it ends the hold of a worker whose report would be accepted otherwise
   */
  public record Decided(TaskTransition change, Act act, boolean isRevoked) {

    /**
     * To be published after the commit; {@code null} if no task becomes claimable. The end of a
     * hold makes room within max_executing, for tasks of all stages.
     */
    public TasksWaiting news() {
      TaskRow row = change.before();
      if (row.status() == TaskStatus.EXECUTING && change.after().status() != TaskStatus.EXECUTING) {
        return new TasksWaiting(row.id().type());
      }
      return change.makesWaiting()
          ? new TasksWaiting(
              row.id().type(), Set.of(row.id().table()), Set.of(change.after().stage()), false)
          : null;
    }
  }

  /** When a task is due and how urgent it is, as an act records it. */
  private record Due(long orderTime, int priority) {

    static Due of(TaskRow row) {
      return new Due(row.orderTime(), row.priority());
    }
  }

  private record Moved(Due before, Due after) {}

  /**
   * The change of the holders of a task.
   *
   * @param ended the worker whose hold was ended; {@code null} if none was
   */
  private record Holders(
      Collection<String> workersBefore, Collection<String> workers, String ended) {}

  private final TransitionStore transitions;
  private final Lanes lanes;
  private final TaskMeters meters;
  private final TaskPulse pulse;

  RowChanger(TransitionStore transitions, Lanes lanes, TaskMeters meters, TaskPulse pulse) {
    this.transitions = transitions;
    this.lanes = lanes;
    this.meters = meters;
    this.pulse = pulse;
  }

  /**
   * Decides an act; nothing is written yet.
   *
   * @param row as it was locked; its table has been entered if the act {@linkplain TaskActs#revives
   *     revives} it
   * @return {@code null} if there is nothing to do
   * @throws io.asyncflow.api.FlowException if it is refused
   */
  public Decided decide(TaskRow row, TaskAct act, TaskActs.Arguments with) {
    TaskTransition change = TaskActs.on(act, row, with);
    if (change.changesNothing() && act != TaskAct.SET_STATUS) {
      return null;
    }
    boolean isRevoked = change.after().reportedEpoch() > row.reportedEpoch() && endsHold(act, row);
    Act done =
        Act.onTask(act.name(), row.id(), row.status(), change.after().status())
            .with(detail(act, change, isRevoked));
    return new Decided(change, done, isRevoked);
  }

  /** Writes acts of one kind in the transaction of this thread, and counts them after it. */
  public void write(TaskAct act, List<Decided> decided) {
    List<TaskTransition> changes = decided.stream().map(Decided::change).toList();
    if (act == TaskAct.EXPIRE_LEASE) {
      transitions.apply(changes);
    } else {
      transitions.change(changes);
    }
    AfterCommit.run(() -> decided.forEach(each -> count(act, each)));
  }

  private void count(TaskAct act, Decided decided) {
    if (act == TaskAct.EXPIRE_LEASE) {
      pulse.expired(decided.change(), HoldEnd.Verdict.OPERATOR);
    }
    if (decided.isRevoked()) {
      meters.revoked(decided.change().before().id().type().name());
    }
  }

  /** Whether the act ends the hold of a worker whose report would be accepted otherwise. */
  private static boolean endsHold(TaskAct act, TaskRow row) {
    return switch (act) {
      case SET_WORKERS, RESTART -> true;
      case PAUSE -> row.status() == TaskStatus.EXECUTING;
      default -> false;
    };
  }

  private Object detail(TaskAct act, TaskTransition change, boolean isRevoked) {
    TaskRow row = change.before();
    return switch (act) {
      case RUN_NOW, RESCHEDULE -> new Moved(Due.of(row), Due.of(change.after()));
      case SET_WORKERS, RESTART ->
          new Holders(
              lanes.workersOf(row.lane()),
              lanes.workersOf(change.after().lane()),
              isRevoked ? row.workerId() : null);
      case EXPIRE_LEASE -> Map.of("workerId", row.workerId(), "leaseEpoch", row.leaseEpoch());
      default -> null;
    };
  }
}
