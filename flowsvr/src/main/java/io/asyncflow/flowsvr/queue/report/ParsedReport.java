package io.asyncflow.flowsvr.queue.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TypeRules;
import java.util.List;

/**
 * A valid report, with its task id parsed.
 *
 * @param task the id that {@code report} names, parsed
 * @param creates the tasks that are created if the report is accepted
 * @param lane the lane into which the report puts the task; {@code null} if it stays in its lane
 * @param stages the stages whose tasks its sender may report on
 * @param users the users whose tasks its sender sees
 */
public record ParsedReport(
    TaskId task, Report report, List<TaskDraft> creates, String lane, Names stages, Names users) {

  /** A report of the server itself, or of a caller without a scope, into no other lane. */
  public ParsedReport(TaskId task, Report report, List<TaskDraft> creates) {
    this(task, report, creates, null, Names.ALL, Names.ALL);
  }

  /**
   * A report that creates no tasks.
   *
   * @throws java.util.NoSuchElementException if the text is not a task id
   */
  public static ParsedReport of(Report report) {
    return new ParsedReport(TaskId.parse(report.taskId()).orElseThrow(), report, List.of());
  }

  /** The same report, sent by this caller. */
  ParsedReport by(Caller caller) {
    return caller.isScoped()
        ? new ParsedReport(task, report, creates, lane, caller.stages(), caller.scope().users())
        : this;
  }

  /** Whether it creates tasks if it is accepted. */
  boolean isCreating() {
    return !creates.isEmpty();
  }

  /** Whether it names workers, but not the lane of them yet. */
  boolean lacksLane() {
    return report.workerIds() != null && lane == null;
  }

  /** The same report, which puts the task into this lane. */
  ParsedReport inLane(String value) {
    return new ParsedReport(task, report, creates, value, stages, users);
  }

  /** The transition of an accepted report. */
  TaskTransition transition(TaskRow row, TypeRules type) {
    TaskTransition reported = HoldEnd.reported(row, report, type);
    return lane == null ? reported : reported.inLane(lane);
  }

  /** The release of a task that was held but not delivered. */
  static ParsedReport releaseOf(Task undelivered) {
    String workerId = undelivered.workerId() == null ? "" : undelivered.workerId();
    return of(
        Report.of(undelivered.taskId(), workerId, undelivered.leaseEpoch(), Outcome.RELEASE)
            .withBegun(false)
            .withErrMsg("the caller of the hold was gone"));
  }
}
