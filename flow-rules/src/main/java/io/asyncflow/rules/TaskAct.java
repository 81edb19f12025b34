package io.asyncflow.rules;

import static io.asyncflow.rules.TaskTransition.of;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * The acts of operators on a task, each with its rule in {@link TaskActs} or {@link HoldEnd}. A
 * rule is a pure function of the row as it was read, so that the server, the fake and bulks change
 * a task alike. The names are those in the record of acts and in bulks.
 */
public enum TaskAct {
  CANCEL((row, with) -> of(row, TaskActs.cancelled(row), EventKind.CANCELLED)),
  RETRY((row, with) -> of(row, TaskActs.retried(row), EventKind.REVIVED)),
  PAUSE((row, with) -> of(row, TaskActs.paused(row, with.stop()), EventKind.PAUSED)),
  RESUME((row, with) -> of(row, TaskActs.resumed(row), EventKind.RESUMED)),
  RUN_NOW((row, with) -> of(row, TaskActs.dueNow(row), null)),
  RESCHEDULE((row, with) -> of(row, TaskActs.rescheduled(row, with.due()), null)),
  SET_STATUS((row, with) -> TaskTransition.forced(row, TaskActs.forced(row, with.status()))),
  SET_WORKERS(
      (row, with) ->
          of(row, TaskActs.reassigned(row, with.workers(), with.lane()), EventKind.REVOKED)),
  RESTART((row, with) -> of(row, TaskActs.restarted(row), EventKind.REVOKED)),
  EXPIRE_LEASE((row, with) -> HoldEnd.leaseEnded(row));

  /**
   * When a task shall be due, or how urgent it shall be; one of the three is given.
   *
   * @param runAt epoch ms
   * @param delayMs from now
   * @param priority seconds of head start
   */
  public record NewDue(Long runAt, Long delayMs, Integer priority) {}

  /**
   * The arguments of an act.
   *
   * @param stop whether a pause ends the hold of an executing task
   * @param due of {@link #RESCHEDULE}
   * @param status of {@link #SET_STATUS}
   * @param workers of {@link #SET_WORKERS}; empty for all
   * @param lane of these workers
   */
  public record Arguments(
      boolean stop, NewDue due, TaskStatus status, Set<String> workers, String lane) {

    public static final Arguments NONE = new Arguments(false, null, null, null, null);

    public static Arguments stopping(boolean stop) {
      return new Arguments(stop, null, null, null, null);
    }

    public static Arguments due(NewDue due) {
      return new Arguments(false, due, null, null, null);
    }

    public static Arguments status(TaskStatus status) {
      return new Arguments(false, null, status, null, null);
    }

    public static Arguments workers(Set<String> workers, String lane) {
      return new Arguments(false, null, null, workers, lane);
    }
  }

  private final BiFunction<TaskRow, Arguments, TaskTransition> rule;

  TaskAct(BiFunction<TaskRow, Arguments, TaskTransition> rule) {
    this.rule = rule;
  }

  /**
   * What the act makes of a task.
   *
   * @throws TransitionNotAllowedException if the task is in no state for it
   */
  public TaskTransition on(TaskRow row, Arguments with) {
    return rule.apply(row, with);
  }

  /** Whether a task that has ended waits afterwards, so that its table must be live. */
  public boolean revives(Arguments with) {
    return this == RETRY || this == SET_STATUS && with.status() == TaskStatus.WAITING;
  }
}
