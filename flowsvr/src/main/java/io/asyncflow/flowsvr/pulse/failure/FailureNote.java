package io.asyncflow.flowsvr.pulse.failure;

import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;

/**
 * An attempt that failed.
 *
 * @param time epoch ms, by the database's clock
 * @param isFinal whether the task was set to failed
 * @param verdict RETRY, FAIL, TIMED_OUT, WORKER_LOST, POISON or OPERATOR
 * @param costMs from the hold to the failure; {@code null} if there was no hold
 * @param message not {@code null}, at most {@value #MESSAGE} characters
 */
public record FailureNote(
    TaskId task,
    int leaseEpoch,
    long time,
    String stage,
    String workerId,
    boolean isFinal,
    String verdict,
    Long costMs,
    String message) {

  private static final int MESSAGE = 1_000;

  public static FailureNote of(TaskTransition transition, String verdict) {
    TaskRow row = transition.before();
    return new FailureNote(
        row.id(),
        row.leaseEpoch(),
        row.now(),
        row.stage(),
        row.workerId(),
        transition.makesFailed(),
        verdict == null ? "FAIL" : verdict,
        row.now() - row.holdTime(),
        cut(transition.errMsg()));
  }

  /** A task that was set to failed by hand. */
  public static FailureNote forced(TaskRow row) {
    return new FailureNote(
        row.id(),
        row.leaseEpoch(),
        row.now(),
        row.stage(),
        row.workerId(),
        true,
        "OPERATOR",
        null,
        "");
  }

  static String cut(String message) {
    if (message == null || message.codePointCount(0, message.length()) <= MESSAGE) {
      return message == null ? "" : message;
    }
    return message.substring(0, message.offsetByCodePoints(0, MESSAGE));
  }
}
