package io.asyncflow.flowsvr.report;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.RetryPolicy;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;

/**
 * A partial update as clients send it that know no leases; {@code null} leaves a field alone.
 *
 * @param orderTime epoch ms; wins over {@code priority}
 */
public record TaskUpdate(
    TaskId id,
    TaskStatus status,
    String taskStage,
    String taskContext,
    String scheduleLog,
    Integer priority,
    Long orderTime,
    Integer crtRetryNum,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    String userId) {

  /** Whether this repeats the status of a final task, and would change nothing else in it. */
  boolean isDoneIn(TaskRow row, RetryPolicy policy) {
    return status == row.status()
        && isSame(taskStage, row.stage())
        && isSame(taskContext, row.context())
        && isSame(scheduleLog, row.scheduleLog())
        && isSame(priority, row.priority())
        && isSame(orderTime, row.orderTime())
        && isSame(crtRetryNum, row.crtRetryNum())
        && isSame(maxRetryNum, policy.maxRetries())
        && isSame(maxRetryInterval, policy.cap())
        && isSame(userId, row.userId());
  }

  /** The task's own number of retries from now on; {@code null} leaves what it has. */
  Integer ownMaxRetryNum(RetryPolicy policy) {
    return unlessSame(maxRetryNum, policy.maxRetries());
  }

  /** The task's own cap of the retry delay from now on; {@code null} leaves what it has. */
  Integer ownMaxRetryInterval(RetryPolicy policy) {
    return unlessSame(maxRetryInterval, policy.cap());
  }

  /** Old clients send back all that they were told; that must not pin the type's values. */
  private static Integer unlessSame(Integer wanted, int standing) {
    return isSame(wanted, standing) ? null : wanted;
  }

  private static boolean isSame(Object wanted, Object standing) {
    return wanted == null || wanted.equals(standing);
  }
}
