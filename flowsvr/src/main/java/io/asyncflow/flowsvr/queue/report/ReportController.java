package io.asyncflow.flowsvr.queue.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.OutOfScopeException;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.NamedObjects;
import io.asyncflow.flowsvr.task.row.TaskAuthorization;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class ReportController {

  private final ReportList reports;
  private final TaskUpdater updater;
  private final TaskAuthorization tasks;
  private final NamedObjects objects;

  ReportController(
      ReportList reports, TaskUpdater updater, TaskAuthorization tasks, NamedObjects objects) {
    this.reports = reports;
    this.updater = updater;
    this.tasks = tasks;
    this.objects = objects;
  }

  record Reports(List<Report> reports) {}

  /** The fields of an old client's update; see {@link TaskUpdate}. */
  record TaskFields(
      String taskId,
      Integer status,
      String taskStage,
      String taskContext,
      String scheduleLog,
      Integer priority,
      Long orderTime,
      Integer crtRetryNum,
      Integer maxRetryNum,
      Integer maxRetryInterval,
      String userId) {}

  record OutcomeResult(
      ReportResult.Verdict outcome,
      @JsonInclude(JsonInclude.Include.NON_NULL) List<String> created) {}

  record OutcomesResult(List<ReportResult> outcomes) {}

  /** Takes a report, or the partial update of an old client without leases. */
  @Takes(
      summary = "Reports the end of a hold, or changes fields of a task that is not held",
      shape = {Report.class, TaskFields.class})
  @Needs({Verb.WORK_REPORT, Verb.WORK_UPDATE})
  @PostMapping({"/set_task", "/setTask"})
  Envelope<OutcomeResult> setTask(Fields in, Caller caller) {
    Fields data = in.has("taskData") ? in.object("taskData") : in;
    if (!data.has("outcome") && !data.has("leaseEpoch")) {
      caller.require(Verb.WORK_UPDATE);
      TaskUpdate update = TaskUpdate.read(data);
      in.refuseIfBad();
      tasks.require(update.id(), caller);
      if (update.userId() != null) {
        caller.requireUser(update.userId());
      }
      objects.require(Stream.ofNullable(update.taskContext()), update.id(), caller);
      updater.update(update, caller);
      return Envelope.ok(null);
    }
    caller.require(Verb.WORK_REPORT);
    ReportResult result = reports.takeOne(in, data, caller);
    if (!result.stands()) {
      if (result.code() == ErrorCode.OUT_OF_SCOPE.code()) {
        throw OutOfScopeException.ofStage(result.msg());
      }
      throw new FlowException(ErrorCode.of(result.code(), 0), result.msg());
    }
    return Envelope.ok(new OutcomeResult(result.outcome(), result.created()));
  }

  @Takes(summary = "Reports the ends of 1 to 1,000 holds", shape = Reports.class)
  @Needs(Verb.WORK_REPORT)
  @PostMapping({"/set_tasks", "/setTasks"})
  Envelope<OutcomesResult> setTasks(Fields in, Caller caller) {
    return Envelope.ok(new OutcomesResult(reports.take(in, caller)));
  }
}
