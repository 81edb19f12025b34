package io.asyncflow.flowsvr.queue.hold;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.Preference;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.HoldFields;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** Reads a request to hold tasks. */
final class HoldForm {

  private HoldForm() {}

  /**
   * Reads the hold of a caller, with those of its stages that the caller may hold. A hold that
   * carries reports does not wait, because the worker waits for their outcomes.
   *
   * @throws io.asyncflow.api.FlowException with every invalid field
   * @throws io.asyncflow.flowsvr.edge.access.OutOfScopeException if the type, the worker or all
   *     stages are beyond the caller's scope
   */
  static Hold read(Fields in, Caller caller) {
    in.number("status").between(0, 1); // sent by old clients: only waiting tasks can be held
    HoldRequest sent = HoldFields.hold(in);
    in.refuseIfBad();
    TaskType type = new TaskType(sent.taskType());
    Set<String> stages = new LinkedHashSet<>(sent.stages());
    Set<String> preferred = new LinkedHashSet<>(sent.prefer());
    long othersAfterMs = sent.othersAfterMs();
    if (caller.isScoped()) {
      caller.requireType(type.name());
      caller.requireWorker(sent.workerId());
      stages = caller.holdStages(stages);
      if (!stages.isEmpty() && preferred.retainAll(stages) && preferred.isEmpty()) {
        othersAfterMs = 0;
      }
    }
    return new Hold(
        type,
        sent.limit(),
        sent.workerId(),
        in.has("reports") ? Duration.ZERO : Duration.ofMillis(sent.waitMs()),
        sent.holdId(),
        stages,
        new Preference(preferred, Duration.ofMillis(othersAfterMs)),
        sent.startId(),
        sent.workerVersion(),
        sent.workerId().isEmpty() ? in.queueTime() : null);
  }
}
