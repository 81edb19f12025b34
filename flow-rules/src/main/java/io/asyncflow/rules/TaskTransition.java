package io.asyncflow.rules;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;

/**
 * A change of a task.
 *
 * @param before the row as it was read; the UPDATE is guarded by its values
 * @param after the row after the change
 * @param kind what happened; {@code null} for a change of which no event is published
 * @param errMsg why an attempt or the task failed; {@code null} if neither did, or if the cause is
 *     unknown
 */
public record TaskTransition(TaskRow before, TaskRow after, EventKind kind, String errMsg) {

  /**
   * A change by an act.
   *
   * @param kind what happened if the status has changed
   */
  public static TaskTransition of(TaskRow before, TaskRow after, EventKind kind) {
    return new TaskTransition(before, after, before.status() == after.status() ? null : kind, null);
  }

  /** The change to a status that was forced: a final one, or waiting with all retries. */
  public static TaskTransition forced(TaskRow before, TaskRow after) {
    return switch (after.status()) {
      case SUCCESS -> of(before, after, EventKind.SUCCESS);
      case FAILED -> of(before, after, EventKind.FAILED);
      case CANCELLED -> of(before, after, EventKind.CANCELLED);
      case WAITING -> new TaskTransition(before, after, EventKind.REVIVED, null);
      case EXECUTING, PAUSED ->
          throw new IllegalArgumentException("no task is forced to be " + after.status());
    };
  }

  /** The cancel of a task, whatever its status. */
  public static TaskTransition cancelled(TaskRow row) {
    return forced(row, row.copy().status(TaskStatus.CANCELLED).row());
  }

  /** The revival of a task, whatever its status. */
  public static TaskTransition revived(TaskRow row) {
    return forced(row, TaskActs.revived(row));
  }

  /** The same transition into a lane; a copy of a team stays in its own. */
  public TaskTransition inLane(String lane) {
    return before.isCopy()
        ? this
        : new TaskTransition(before, after.copy().lane(lane).row(), kind, errMsg);
  }

  /** Whether there is nothing to write. */
  public boolean changesNothing() {
    return after.equals(before);
  }

  /** Whether the task becomes final, is final no more, or ends in another way than before. */
  public boolean isOfEnd() {
    return before.status() != after.status()
        && (before.status().isFinal() || after.status().isFinal());
  }

  /** Whether the transition sets the task to failed. */
  public boolean makesFailed() {
    return after.status() == TaskStatus.FAILED;
  }

  /** Whether the transition sets the task to waiting. */
  public boolean makesWaiting() {
    return after.status() == TaskStatus.WAITING;
  }
}
