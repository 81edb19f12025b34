package io.asyncflow.flowsvr.report;

import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.create.CreateReach;
import io.asyncflow.flowsvr.task.NamedObjects;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.rules.TaskId;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Which reports a caller may send, as far as they say so themselves. Thread-safe. */
@Component
class ReportReach {

  private final CreateReach creates;
  private final NamedObjects objects;

  ReportReach(CreateReach creates, NamedObjects objects) {
    this.creates = creates;
    this.objects = objects;
  }

  /** Why the caller may not send this report; the stage of the task is judged with its row. */
  Optional<FlowException> refusal(ParsedReport report, Caller caller) {
    if (!caller.isScoped()) {
      return Optional.empty();
    }
    try {
      require(report, caller);
      return Optional.empty();
    } catch (FlowException refusal) {
      return Optional.of(refusal);
    }
  }

  /**
   * @throws FlowException if the caller may not send this report
   */
  void require(ParsedReport report, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    if (!caller.seesType(report.task().type().name())) {
      throw new TaskNotFoundException(report.task());
    }
    caller.requireWorker(report.report().workerId());
    TaskId task = report.task();
    objects.require(
        Stream.of(report.report().taskContext(), report.report().result()), task, caller);
    creates.require(report.creates(), task, caller);
  }
}
