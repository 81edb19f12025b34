package io.asyncflow.api;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Follows a task to its end, whatever becomes of connections and servers meanwhile.
 *
 * <p>It asks how the task is: at once, after a tenth of a second, and then ever less often, down to
 * every two seconds. {@link JobFollower} does the like for jobs. Thread-safe.
 */
public final class TaskFollower {

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final FlowClient flow;

  /**
   * @param flow whom to ask
   */
  public TaskFollower(FlowClient flow) {
    this.flow = flow;
  }

  /**
   * Returns when the task has ended, be it with success or not.
   *
   * @param timeout how long to wait, of any length; a call that is under way by then is waited for.
   *     With zero the task is asked for once
   * @return the task in its final status
   * @throws TimeoutException if the task has not ended in time; it is left as it is
   * @throws FlowUnreachableException if nothing answers when the time is over
   * @throws FlowException if the server refuses to tell, as of a task that there is not
   */
  public Task follow(String taskId, Duration timeout)
      throws InterruptedException, TimeoutException {
    // Longer than 292 years is as long as that, and less than nothing is nothing.
    long deadline = System.nanoTime() + Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      long left = deadline - System.nanoTime();
      Task task = ask(taskId, left <= 0);
      if (task != null && task.taskStatus().isFinal()) {
        return task;
      }
      if (left <= 0) {
        throw new TimeoutException(
            "task " + taskId + " has not ended within " + timeout + ": " + task.taskStatus());
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(pause, left));
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
  }

  /** The task; {@code null} if it is not known how it is, which is no answer in the end. */
  private Task ask(String taskId, boolean isLast) throws InterruptedException {
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
