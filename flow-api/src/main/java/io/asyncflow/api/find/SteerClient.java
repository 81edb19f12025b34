package io.asyncflow.api.find;

import io.asyncflow.api.TaskStatus;

/**
 * The calls of flowsvr's contract that steer a single task; see {@link io.asyncflow.api.FlowClient}
 * for the exceptions. Implementations are thread-safe.
 */
public interface SteerClient {

  /**
   * Makes a waiting task due that would be later.
   *
   * @param operator who does it; may be {@code null}
   * @param reason may be {@code null}
   */
  void runNow(String taskId, String operator, String reason);

  /** Changes when a waiting task is due, or how urgent it is. */
  void reschedule(String taskId, NewDue due, String operator, String reason);

  /**
   * Makes a new task like another one.
   *
   * @return the new task's id
   */
  String clone(String taskId, Changes changes, String operator, String reason);

  /**
   * Ends the lease of an executing task before its time; no attempt is counted.
   *
   * @param leaseEpoch of the hold that shall end
   * @param reason is required
   */
  void expireLease(String taskId, int leaseEpoch, String operator, String reason);

  /**
   * Forces a status, whatever it is now; the holder of the task cannot report any more. A task that
   * is set to waiting has all its retries and no result.
   *
   * @param status {@code WAITING}, {@code SUCCESS}, {@code FAILED} or {@code CANCELLED}
   * @param reason is required
   */
  void setStatus(String taskId, TaskStatus status, String operator, String reason);

  /**
   * When a task shall be due, or how urgent it shall be; one of the three is given.
   *
   * @param runAt epoch milliseconds
   * @param delayMs from now
   * @param priority seconds of head start
   */
  record NewDue(Long runAt, Long delayMs, Integer priority) {

    public static NewDue at(long epochMs) {
      return new NewDue(epochMs, null, null);
    }

    public static NewDue in(long ms) {
      return new NewDue(null, ms, null);
    }

    public static NewDue ofPriority(int seconds) {
      return new NewDue(null, null, seconds);
    }
  }

  /**
   * What is different in a clone; {@code null} for what stays.
   *
   * @param runAt epoch milliseconds from which it is due; {@code null} for at once
   */
  record Changes(
      String taskStage,
      String taskContext,
      Integer priority,
      Long runAt,
      String userId,
      String idempotencyKey) {

    public static final Changes NONE = new Changes(null, null, null, null, null, null);
  }
}
