package io.asyncflow.flowsvr.base.pulse.failure;

import io.asyncflow.rules.CodePoints;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;

/**
 * An attempt that failed.
 *
 * @param time epoch ms, by the database's clock
 * @param isFinal whether the task was set to failed
 * @param verdict RETRY, FAIL, TIMED_OUT, WORKER_LOST, POISON or OPERATOR
 * @param message not {@code null}, at most {@value #MESSAGE} characters
 */
public record FailureNote(
    TaskId task, long time, String stage, boolean isFinal, String verdict, String message) {

  private static final int MESSAGE = 1_000;

  public static FailureNote of(TaskTransition transition, String verdict) {
    TaskRow row = transition.before();
    return new FailureNote(
        row.id(),
        row.now(),
        row.stage(),
        transition.makesFailed(),
        verdict == null ? "FAIL" : verdict,
        cut(transition.errMsg()));
  }

  /** A task that was set to failed by hand. */
  public static FailureNote forced(TaskRow row) {
    return new FailureNote(row.id(), row.now(), row.stage(), true, "OPERATOR", "");
  }

  static String cut(String message) {
    return message == null ? "" : CodePoints.cut(message, MESSAGE);
  }
}
