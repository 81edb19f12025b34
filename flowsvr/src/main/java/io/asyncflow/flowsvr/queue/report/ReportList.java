package io.asyncflow.flowsvr.queue.report;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.TraceParent;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.queue.create.NewTaskForm;
import io.asyncflow.flowsvr.task.row.NamedObjects;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.ReportFields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Reads the reports of a request and applies those that its caller may send. Thread-safe. */
@Component
public class ReportList {

  private static final int MAX_ECHO = 128;

  private final TaskReporter reporter;
  private final NamedObjects objects;

  ReportList(TaskReporter reporter, NamedObjects objects) {
    this.reporter = reporter;
    this.objects = objects;
  }

  /**
   * Reads and applies {@code reports}. An invalid report is refused separately and does not affect
   * the others.
   *
   * @return the result of each report, in order
   * @throws FlowException if there is no list of 1 to 1,000 objects; then no report was applied
   */
  public List<ReportResult> take(Fields in, Caller caller) {
    List<Fields> items = in.separateObjects("reports", 1, TaskLimits.BATCH);
    in.refuseIfBad();
    List<ParsedReport> valid = new ArrayList<>(items.size());
    List<Optional<ReportResult>> refused = new ArrayList<>(items.size());
    for (Fields item : items) {
      ParsedReport report = read(item);
      Optional<ReportResult> refusal =
          item.refusal().or(() -> refusal(report, caller)).map(error -> refused(item, error));
      if (refusal.isEmpty()) {
        valid.add(report.by(caller));
      }
      refused.add(refusal);
    }
    Iterator<ReportResult> results = reporter.report(valid).iterator();
    return refused.stream().map(refusal -> refusal.orElseGet(results::next)).toList();
  }

  /**
   * Reads and applies a lone report.
   *
   * @param in the request
   * @param data the fields of the report, in the request
   * @throws FlowException if a field is wrong, or if the caller may not send this report
   */
  ReportResult takeOne(Fields in, Fields data, Caller caller) {
    ParsedReport report = read(data);
    in.refuseIfBad();
    require(report, caller);
    return reporter.report(List.of(report.by(caller))).get(0);
  }

  /** Reads a report; it is valid only if {@code in} has no invalid field afterwards. */
  private static ParsedReport read(Fields in) {
    TaskId id = TaskFields.writtenTask(in);
    Report report = ReportFields.report(in, id);
    return new ParsedReport(id, report, creates(in, report.outcome()));
  }

  private static List<TaskDraft> creates(Fields in, Outcome outcome) {
    List<? extends FieldSource> creates = ReportFields.creates(in, outcome);
    if (creates.isEmpty()) {
      return List.of();
    }
    String traceParent = TraceParent.validOrNull(in.text("traceParent").value());
    return creates.stream()
        .map(task -> NewTaskForm.read(task).inTraceUnlessSaid(traceParent))
        .toList();
  }

  private Optional<FlowException> refusal(ParsedReport report, Caller caller) {
    try {
      require(report, caller);
      return Optional.empty();
    } catch (FlowException refusal) {
      return Optional.of(refusal);
    }
  }

  /**
   * Returns if the caller may send this report, as far as it says so itself; the stage of the task
   * is judged with its row.
   *
   * @throws FlowException if it may not
   */
  private void require(ParsedReport report, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    TaskId task = report.task();
    if (!caller.seesType(task.type().name())) {
      throw new TaskNotFoundException(task);
    }
    caller.requireWorker(report.report().workerId());
    objects.require(
        Stream.of(report.report().taskContext(), report.report().result()), task, caller);
    objects.require(report.creates(), task, caller);
  }

  private static ReportResult refused(Fields item, FlowException error) {
    String taskId = item.text("taskId").max(MAX_ECHO).value();
    return ReportResult.refused(taskId, error.errorCode(), error.getMessage());
  }
}
