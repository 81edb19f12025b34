package io.asyncflow.rules;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;

/**
 * A change of a task that has been held.
 *
 * @param before the row as it was read; the UPDATE is guarded by its values
 * @param after the row after the change
 * @param kind what happened
 * @param errMsg why an attempt or the task failed; {@code null} if neither did, or if nobody said
 */
public record TaskTransition(TaskRow before, TaskRow after, EventKind kind, String errMsg) {

  /**
   * @throws IllegalArgumentException if the status of {@code before} is final
   */
  public TaskTransition {
    if (before.status().isFinal()) {
      throw new IllegalArgumentException(
          before.id() + " is " + before.status() + ", which is final");
    }
  }

  /** The same transition into a lane; a copy of a team stays in its own. */
  public TaskTransition inLane(String lane) {
    return before.isCopy()
        ? this
        : new TaskTransition(before, after.copy().lane(lane).row(), kind, errMsg);
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
