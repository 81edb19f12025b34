package io.asyncflow.flowsvr.hold;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.claim.Preference;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.HoldFields;
import java.time.Duration;
import java.util.LinkedHashSet;

/** Reads a request to hold tasks. */
final class HoldForm {

  private HoldForm() {}

  /**
   * @throws io.asyncflow.api.FlowException with every invalid field
   */
  static Hold read(Fields in) {
    in.number("status").between(0, 1); // sent by old clients: only waiting tasks can be held
    HoldRequest sent = HoldFields.hold(in);
    in.refuseIfBad();
    return new Hold(
        new TaskType(sent.taskType()),
        sent.limit(),
        sent.workerId(),
        Duration.ofMillis(sent.waitMs()),
        sent.holdId(),
        new LinkedHashSet<>(sent.stages()),
        new Preference(new LinkedHashSet<>(sent.prefer()), Duration.ofMillis(sent.othersAfterMs())),
        sent.startId(),
        sent.workerVersion(),
        sent.workerId().isEmpty() ? in.queueTime() : null);
  }
}
