package io.asyncflow.api;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Follows a task to its end, across broken connections and server restarts.
 *
 * <p>It reads the task at once, then after a tenth of a second, then after pauses that double up to
 * two seconds. {@link JobFollower} follows jobs. Thread-safe.
 */
public final class TaskFollower {

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final FlowClient flow;

  /**
   * @param flow the client that reads the task
   */
  public TaskFollower(FlowClient flow) {
    this.flow = flow;
  }

  /**
   * Returns when the task has ended, with success or without.
   *
   * @param timeout how long to wait, of any length; a call that is under way at its end is still
   *     waited for. With zero the task is read once
   * @return the task in its final status
   * @throws TimeoutException if the task has not ended in time; the task itself goes on
   * @throws FlowUnreachableException if the last call within the time got no answer
   * @throws FlowException if the server refuses the call, for example because there is no such task
   */
  public Task follow(String taskId, Duration timeout)
      throws InterruptedException, TimeoutException {
    // The conversion saturates at 292 years; a negative time-out counts as zero.
    long deadline = System.nanoTime() + Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      long remaining = deadline - System.nanoTime();
      Task task = read(taskId, remaining <= 0);
      if (task != null && task.taskStatus().isFinal()) {
        return task;
      }
      if (remaining <= 0) {
        throw new TimeoutException(
            "task " + taskId + " has not ended within " + timeout + ": " + task.taskStatus());
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(pause, remaining));
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
  }

  /** The task; {@code null} after a retryable failure, unless this is the last call. */
  private Task read(String taskId, boolean isLast) throws InterruptedException {
    try {
      return flow.getTask(taskId);
    } catch (FlowException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while following task " + taskId);
      }
      if (isLast || !e.retryable()) {
        throw e;
      }
      return null;
    }
  }
}
