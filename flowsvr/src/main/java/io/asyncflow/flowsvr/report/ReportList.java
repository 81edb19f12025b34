package io.asyncflow.flowsvr.report;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.ReportResult;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads the {@code reports} of a request and applies them. Thread-safe. */
@Component
public class ReportList {

  private static final int MAX_ECHO = 128;

  private final TaskReporter reporter;
  private final ReportReach reach;

  ReportList(TaskReporter reporter, ReportReach reach) {
    this.reporter = reporter;
    this.reach = reach;
  }

  /**
   * Reads and applies the reports. An invalid report is refused separately and does not affect the
   * others.
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
      ParsedReport report = ReportForm.read(item);
      Optional<ReportResult> refusal =
          item.refusal().or(() -> reach.refusal(report, caller)).map(error -> refused(item, error));
      if (refusal.isEmpty()) {
        valid.add(report.by(caller));
      }
      refused.add(refusal);
    }
    Iterator<ReportResult> results = reporter.report(valid).iterator();
    return refused.stream().map(refusal -> refusal.orElseGet(results::next)).toList();
  }

  private static ReportResult refused(Fields item, FlowException error) {
    String taskId = item.text("taskId").max(MAX_ECHO).value();
    return ReportResult.refused(taskId, error.errorCode(), error.getMessage());
  }
}
