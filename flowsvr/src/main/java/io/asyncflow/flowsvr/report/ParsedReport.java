package io.asyncflow.flowsvr.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.rules.TaskId;

/**
 * A valid report, with its task id parsed.
 *
 * @param task the id that {@code report} names, parsed
 * @param lane the lane into which the report puts the task; {@code null} if it stays in its lane
 */
public record ParsedReport(TaskId task, Report report, String lane) {

  /** A report that leaves the task in its lane. */
  public ParsedReport(TaskId task, Report report) {
    this(task, report, null);
  }

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
