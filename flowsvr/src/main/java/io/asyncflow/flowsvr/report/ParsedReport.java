package io.asyncflow.flowsvr.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.rules.TaskId;

/**
 * A valid report, with its task id parsed.
 *
 * @param task the id that {@code report} names, parsed
 */
public record ParsedReport(TaskId task, Report report) {

  /**
   * @throws java.util.NoSuchElementException if the text is not a task id
   */
  public static ParsedReport of(Report report) {
    return new ParsedReport(TaskId.parse(report.taskId()).orElseThrow(), report);
  }

  /** The release of a task that was held but not delivered. */
  static ParsedReport releaseOf(Task undelivered) {
    String workerId = undelivered.workerId() == null ? "" : undelivered.workerId();
    return of(
        Report.of(undelivered.taskId(), workerId, undelivered.leaseEpoch(), Outcome.RELEASE)
            .withErrMsg("the caller of the hold was gone"));
  }
}
