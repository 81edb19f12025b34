package io.asyncflow.flowsvr.report;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.ReportResult;
import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.web.read.Fields;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads the {@code reports} of a request, and takes them. */
@Component
public class ReportList {

  private static final int MAX_ECHO = 128;

  private final TaskReporter reporter;

  ReportList(TaskReporter reporter) {
    this.reporter = reporter;
  }

  /**
   * A badly formed report is refused by itself, like any other, and does not spoil its fellows.
   *
   * @return what became of each, in order
   * @throws FlowException if there is no list of 1 to 1,000 objects; nothing was done then
   */
  public List<ReportResult> take(Fields in) {
    List<Fields> items = in.separateObjects("reports", 1, TaskLimits.BATCH);
    in.refuseIfBad();
    List<HeldReport> wellFormed = new ArrayList<>(items.size());
    List<Optional<ReportResult>> refused = new ArrayList<>(items.size());
    for (Fields item : items) {
      HeldReport report = ReportForm.read(item);
      Optional<ReportResult> refusal = item.refusal().map(why -> refused(item, why));
      if (refusal.isEmpty()) {
        wellFormed.add(report);
      }
      refused.add(refusal);
    }
    Iterator<ReportResult> judged = reporter.report(wellFormed).iterator();
    return refused.stream().map(result -> result.orElseGet(judged::next)).toList();
  }

  private static ReportResult refused(Fields item, FlowException why) {
    String taskId = item.text("taskId").max(MAX_ECHO).value();
    return ReportResult.refused(taskId, why.errorCode(), why.getMessage());
  }
}
