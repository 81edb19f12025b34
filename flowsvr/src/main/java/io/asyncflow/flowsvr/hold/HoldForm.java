package io.asyncflow.flowsvr.hold;

import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.claim.Preference;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.time.Duration;

/** Reads a request to hold tasks. */
final class HoldForm {

  private static final int MAX_LIMIT = 1_000;
  private static final int MAX_WAIT_MS = 30_000;
  private static final int MAX_HOLD_ID = 64;
  private static final int MAX_STAGES = 64;
  private static final int MAX_OTHERS_AFTER_MS = 10_000;

  private HoldForm() {}

  /**
   * @throws io.asyncflow.api.FlowException with every invalid field
   */
  static Hold read(Fields in) {
    in.number("status").between(0, 1); // sent by old clients: only waiting tasks can be held
    String workerId = in.text("workerId").name().max(TaskLimits.WORKER_ID).or("");
    String holdId = in.text("holdId").name().max(MAX_HOLD_ID).value();
    Hold hold =
        new Hold(
            TaskFields.existingType(in),
            in.number("limit").between(0, MAX_LIMIT).or(0),
            workerId,
            Duration.ofMillis(in.number("waitMs").between(0, MAX_WAIT_MS).or(0)),
            "".equals(holdId) ? null : holdId,
            in.names("stages").max(MAX_STAGES, TaskLimits.STAGE).values(),
            new Preference(
                in.names("prefer").max(MAX_STAGES, TaskLimits.STAGE).values(),
                Duration.ofMillis(
                    in.number("othersAfterMs").between(0, MAX_OTHERS_AFTER_MS).or(0))),
            in.text("startId").name().max(TaskLimits.WORKER_ID).or(""),
            in.number("workerVersion").between(0, Integer.MAX_VALUE).or(0),
            workerId.isEmpty() ? in.queueTime() : null);
    TaskFields.refuseReserved(in, "taskType", hold.type());
    if (hold.isRepeatable() && hold.workerId().isEmpty()) {
      in.refuse("workerId", "is required with a holdId");
    }
    if (!hold.preference().stages().stream().allMatch(hold::takes)) {
      in.refuse("prefer", "must be a subset of stages");
    }
    in.refuseIfBad();
    return hold;
  }
}
