package io.asyncflow.rules;

import io.asyncflow.api.TaskStatus;

/**
 * The one way in which a task changes once it has been held.
 *
 * @param before the row as it was read; what is written names it as its guard
 * @param after the same task's row as it becomes
 */
public record TaskTransition(TaskRow before, TaskRow after) {

  /**
   * @throws IllegalArgumentException if the status of {@code before} is final
   */
  public TaskTransition {
    if (before.status().isFinal()) {
      throw new IllegalArgumentException(
          before.id() + " is " + before.status() + ", which is final");
    }
  }

  /** Whether the task has failed for good once this is committed. */
  public boolean makesFailed() {
    return after.status() == TaskStatus.FAILED;
  }

  /** Whether somebody may hold the task once this is committed. */
  public boolean makesWaiting() {
    return after.status() == TaskStatus.WAITING;
  }
}
