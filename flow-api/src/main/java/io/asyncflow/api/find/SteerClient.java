package io.asyncflow.api.find;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract that steer a single task; see {@link io.asyncflow.api.FlowClient}
 * for the exceptions. Thread-safe.
 *
 * @param transport sends the calls
 */
public record SteerClient(Transport transport) {

  private static final Answer<String> TASK_ID = Answer.of(Cloned.class, Cloned::taskId);

  private record Cloned(String taskId) {}

  /**
   * Makes a waiting task due that would be later.
   *
   * @param operator who does it; may be {@code null}
   * @param reason may be {@code null}
   */
  public void runNow(String taskId, String operator, String reason) {
    transport.send(Call.to(TaskAct.RUN_NOW, taskId).by(operator, reason));
  }

  /** Changes when a waiting task is due, or how urgent it is. */
  public void reschedule(String taskId, NewDue due, String operator, String reason) {
    transport.send(
        Call.to(TaskAct.RESCHEDULE, taskId)
            .with("runAt", due.runAt())
            .with("delayMs", due.delayMs())
            .with("priority", due.priority())
            .by(operator, reason));
  }

  /**
   * Makes a new task like another one.
   *
   * @return the new task's id
   */
  public String clone(String taskId, Changes changes, String operator, String reason) {
    return transport.send(
        Call.to("/api/task/clone", TASK_ID)
            .with("taskId", taskId)
            .with("taskStage", changes.taskStage())
            .with("taskContext", changes.taskContext())
            .with("priority", changes.priority())
            .with("runAt", changes.runAt())
            .with("userId", changes.userId())
            .with("idempotencyKey", changes.idempotencyKey())
            .by(operator, reason));
  }

  /**
   * Ends the lease of an executing task before its time; no attempt is counted.
   *
   * @param leaseEpoch of the hold that shall end
   * @param reason is required
   */
  public void expireLease(String taskId, int leaseEpoch, String operator, String reason) {
    transport.send(
        Call.to(TaskAct.EXPIRE_LEASE, taskId).with("leaseEpoch", leaseEpoch).by(operator, reason));
  }

  /**
   * Forces a status, whatever it is now; the holder of the task cannot report any more. A task that
   * is set to waiting has all its retries and no result.
   *
   * @param status {@code WAITING}, {@code SUCCESS}, {@code FAILED} or {@code CANCELLED}
   * @param reason is required
   */
  public void setStatus(String taskId, TaskStatus status, String operator, String reason) {
    transport.send(
        Call.to(TaskAct.SET_STATUS, taskId).with("status", status.code()).by(operator, reason));
  }

  /**
   * When a task shall be due, or how urgent it shall be; one of the three is given.
   *
   * @param runAt epoch milliseconds
   * @param delayMs from now
   * @param priority seconds of head start
   */
  public record NewDue(Long runAt, Long delayMs, Integer priority) {

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
  public record Changes(
      String taskStage,
      String taskContext,
      Integer priority,
      Long runAt,
      String userId,
      String idempotencyKey) {

    public static final Changes NONE = new Changes(null, null, null, null, null, null);
  }
}
