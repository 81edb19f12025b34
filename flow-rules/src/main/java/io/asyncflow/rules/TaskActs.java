package io.asyncflow.rules;

import static io.asyncflow.rules.TaskTransition.of;

import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.find.SteerClient.NewDue;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.TaskFields;
import java.util.Set;

/**
 * The rules of {@link TaskAct}: what an act is given, whether operators may do it on a task, and
 * how the row changes, for single calls, bulks and the fake, so that all refuse with the same
 * words. Pure functions of the row as it was read: each returns the row after the act, or the same
 * row if there is nothing to do.
 */
public final class TaskActs {

  private TaskActs() {}

  /**
   * The arguments of an act.
   *
   * @param stop whether a pause ends the hold of an executing task
   * @param due of {@link TaskAct#RESCHEDULE}
   * @param status of {@link TaskAct#SET_STATUS}
   * @param workers of {@link TaskAct#SET_WORKERS}; empty for all
   * @param lane of these workers
   */
  public record Arguments(
      boolean stop, NewDue due, TaskStatus status, Set<String> workers, String lane) {

    public static final Arguments NONE = new Arguments(false, null, null, null, null);

    public static Arguments status(TaskStatus status) {
      return new Arguments(false, null, status, null, null);
    }

    /** Reads the arguments that an act takes; the lane of workers is still to be found. */
    public static Arguments read(TaskAct act, FieldSource in) {
      return switch (act) {
        case PAUSE -> new Arguments(TaskFields.stop(in), null, null, null, null);
        case RESCHEDULE -> {
          NewDue due = TaskFields.due(in);
          TaskFields.refuseUnlessOneDue(in);
          yield new Arguments(false, due, null, null, null);
        }
        case SET_STATUS -> status(TaskFields.forcedStatus(in));
        case SET_WORKERS -> new Arguments(false, null, null, TaskFields.assignedWorkers(in), null);
        default -> NONE;
      };
    }

    /** The same with the lane of the workers. */
    public Arguments inLane(String value) {
      return new Arguments(stop, due, status, workers, value);
    }
  }

  /**
   * What an act makes of a task.
   *
   * @throws TransitionNotAllowedException if the task is in no state for it
   */
  public static TaskTransition on(TaskAct act, TaskRow row, Arguments with) {
    return switch (act) {
      case CANCEL -> of(row, cancelled(row), EventKind.CANCELLED);
      case RETRY -> of(row, retried(row), EventKind.REVIVED);
      case PAUSE -> of(row, paused(row, with.stop()), EventKind.PAUSED);
      case RESUME -> of(row, resumed(row), EventKind.RESUMED);
      case RUN_NOW -> of(row, dueNow(row), null);
      case RESCHEDULE -> of(row, rescheduled(row, with.due()), null);
      case SET_STATUS -> TaskTransition.forced(row, forced(row, with.status()));
      case SET_WORKERS -> of(row, reassigned(row, with.workers(), with.lane()), EventKind.REVOKED);
      case RESTART -> of(row, restarted(row), EventKind.REVOKED);
      case EXPIRE_LEASE -> HoldEnd.leaseEnded(row);
    };
  }

  /** Whether a task that has ended waits after the act, so that its table must be live. */
  public static boolean revives(TaskAct act, Arguments with) {
    return act == TaskAct.RETRY || act == TaskAct.SET_STATUS && with.status() == TaskStatus.WAITING;
  }

  /**
   * The row after a cancel. Epoch and worker stay, so that the next heartbeat tells the holder.
   *
   * @throws TransitionNotAllowedException if the task is done or failed
   */
  public static TaskRow cancelled(TaskRow row) {
    if (row.status() == TaskStatus.CANCELLED) {
      return row;
    }
    requireUnfinished(row);
    return row.copy().status(TaskStatus.CANCELLED).row();
  }

  /**
   * The row after a pause. The task keeps its stage and its order time, and no report of an earlier
   * hold is accepted.
   *
   * @param stop whether the hold of an executing task is ended
   * @throws TransitionNotAllowedException if the task has ended, or executes and is not stopped
   */
  public static TaskRow paused(TaskRow row, boolean stop) {
    requireUnfinished(row);
    return switch (row.status()) {
      case PAUSED -> row;
      case EXECUTING -> {
        if (!stop) {
          throw new TransitionNotAllowedException(
              row.id(), "a worker holds it; stop=1 ends the hold and pauses it");
        }
        yield HoldEnd.paused(row);
      }
      default -> withoutHold(row).status(TaskStatus.PAUSED).row();
    };
  }

  /**
   * The row after a resume.
   *
   * @throws TransitionNotAllowedException if the task has ended
   */
  public static TaskRow resumed(TaskRow row) {
    requireUnfinished(row);
    return row.status() == TaskStatus.PAUSED ? row.copy().status(TaskStatus.WAITING).row() : row;
  }

  /**
   * The row after a retry.
   *
   * @throws TransitionNotAllowedException if the task is neither failed nor cancelled
   */
  public static TaskRow retried(TaskRow row) {
    requireRetryable(row);
    return revived(row);
  }

  /**
   * Requires that the task may be retried.
   *
   * @throws TransitionNotAllowedException if it is neither failed nor cancelled
   */
  public static void requireRetryable(TaskRow row) {
    if (!isRetryable(row)) {
      throw new TransitionNotAllowedException(
          row.id(), "only a failed or cancelled task can be retried, this one is " + row.status());
    }
  }

  public static boolean isRetryable(TaskRow row) {
    return row.status() == TaskStatus.FAILED || row.status() == TaskStatus.CANCELLED;
  }

  /**
   * The row of a task, whatever its status was, that waits again with all its retries. No report of
   * an earlier hold is accepted, but a repeated accepted report is still recognized.
   */
  public static TaskRow revived(TaskRow row) {
    return withoutHold(row)
        .status(TaskStatus.WAITING)
        .orderTime(row.now() - row.priority() * 1000L)
        .crtRetryNum(0)
        .unexpectedNum(0)
        .deliveryCount(0)
        .progress(null)
        .result(null)
        .row();
  }

  /**
   * The row after its status was forced.
   *
   * @param status any but executing, which only a hold sets, and paused
   * @throws TransitionNotAllowedException if it is executing
   */
  public static TaskRow forced(TaskRow row, TaskStatus status) {
    if (status == TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(row.id(), "only a hold makes a task executing");
    }
    return status == TaskStatus.WAITING ? revived(row) : row.copy().status(status).row();
  }

  /**
   * The row of a task that is due now and would be later.
   *
   * @throws TransitionNotAllowedException if it does not wait or is due already, or if its fire
   *     time has not come
   */
  public static TaskRow dueNow(TaskRow row) {
    requireMovable(row);
    if (row.orderTime() <= row.now()) {
      throw new TransitionNotAllowedException(row.id(), "it is due already");
    }
    return row.copy().orderTime(row.now() - row.priority() * 1000L).row();
  }

  /**
   * The row of a waiting task that is due at another time, or more or less urgent. The priority of
   * a task that is not due does not change when it becomes due, and one that is due stays so.
   *
   * @throws TransitionNotAllowedException if it does not wait, or if its fire time has not come
   */
  public static TaskRow rescheduled(TaskRow row, NewDue due) {
    requireMovable(row);
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
   * The row after a restart: the hold has ended, and the task is due at once.
   *
   * @throws TransitionNotAllowedException if the task is not executing
   */
  public static TaskRow restarted(TaskRow row) {
    if (row.status() != TaskStatus.EXECUTING) {
      throw new TransitionNotAllowedException(
          row.id(), "only an executing task can be restarted, this one is " + row.status());
    }
    return HoldEnd.revoked(row);
  }

  /**
   * The row of a task that only these workers may hold from now on. A hold by any other worker has
   * ended. If its lease has run out, its late report is refused from now on.
   *
   * @param workers empty for all
   * @param lane of these workers
   * @throws TransitionNotAllowedException if the task has ended, or is a copy of a team
   */
  public static TaskRow reassigned(TaskRow row, Set<String> workers, String lane) {
    requireReassignable(row);
    boolean mayStay = workers.isEmpty() || workers.contains(row.workerId());
    boolean ends = !mayStay && HoldFence.mayReport(row, row.leaseEpoch());
    return (ends ? HoldEnd.revoked(row) : row).copy().lane(lane).row();
  }

  /**
   * Requires that other workers may be given the task.
   *
   * @throws TransitionNotAllowedException if it has ended, or is a copy of a team
   */
  public static void requireReassignable(TaskRow row) {
    requireUnfinished(row);
    if (row.isCopy()) {
      throw new TransitionNotAllowedException(
          row.id(), "its job chooses the worker, which must have no other copy of the team");
    }
  }

  private static void requireUnfinished(TaskRow row) {
    if (row.status().isFinal()) {
      throw TransitionNotAllowedException.afterEnd(row.id(), row.status());
    }
  }

  /** Refuses reports of holds until now, except the repeat of an accepted one. */
  private static TaskRow.Copy withoutHold(TaskRow row) {
    return row.copy()
        .reportId(row.reportedEpoch() == row.leaseEpoch() ? row.reportId() : null)
        .reportedEpoch(row.leaseEpoch());
  }
}
