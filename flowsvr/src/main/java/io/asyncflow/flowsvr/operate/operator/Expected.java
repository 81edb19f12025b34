package io.asyncflow.flowsvr.operate.operator;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.rules.TaskRow;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the caller of an act has last seen of the task. An act on a task that has moved since is
 * refused.
 *
 * @param epoch number of holds; {@code null} for any
 * @param status {@code null} for any
 */
public record Expected(Integer epoch, TaskStatus status) {

  public static final Expected ANYTHING = new Expected(null, null);

  /** Reads what a call says of the task: the hold whose lease shall end, or what was seen. */
  static Expected read(TaskAct act, Fields in) {
    return switch (act) {
      case SET_WORKERS -> ANYTHING;
      case EXPIRE_LEASE ->
          new Expected(
              in.number("leaseEpoch").required().between(1, Integer.MAX_VALUE).asInteger(), null);
      default ->
          new Expected(
              in.number("expectedEpoch").between(0, Integer.MAX_VALUE).asInteger(),
              in.text("expectedStatus").as(Expected::status, "must be 1, 2, 4, 8, 16 or 32"));
    };
  }

  private static Optional<TaskStatus> status(String code) {
    return Arrays.stream(TaskStatus.values()).filter(s -> code.equals("" + s.code())).findFirst();
  }

  /**
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if the row is another one by now
   */
  public void require(TaskRow row) {
    boolean isSame =
        (epoch == null || epoch == row.leaseEpoch()) && (status == null || status == row.status());
    if (!isSame) {
      throw new FlowException(
          ErrorCode.CHANGED_MEANWHILE,
          "task %s has changed: it was seen %s, it is %s"
              .formatted(row.id(), words(status, epoch), words(row.status(), row.leaseEpoch())));
    }
  }

  private static String words(TaskStatus status, Integer epoch) {
    return (status == null ? "" : status) + (epoch == null ? "" : " after " + epoch + " holds");
  }
}
