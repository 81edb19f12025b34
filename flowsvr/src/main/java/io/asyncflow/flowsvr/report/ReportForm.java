package io.asyncflow.flowsvr.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TraceParent;
import io.asyncflow.flowsvr.create.NewTaskForm;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.ReportFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;

/** Reads a report. */
final class ReportForm {

  private ReportForm() {}

  /** Whether this is a report, rather than the partial update of an old client. */
  static boolean isReport(Fields in) {
    return in.has("outcome") || in.has("leaseEpoch");
  }

  /** Reads the report; it is valid only if {@code in} has no invalid field afterwards. */
  static ParsedReport read(Fields in) {
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
}
