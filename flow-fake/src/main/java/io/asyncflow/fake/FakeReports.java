package io.asyncflow.fake;

import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.TraceParent;
import io.asyncflow.rules.HoldEnd;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.field.ReportFields;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Takes the reports of the holds of a {@link FakeFlowServer}, guarded by its lock. */
final class FakeReports {

  private final FakeFlowServer server;

  /** What the reports of holds created, by task and epoch. */
  private final Map<String, List<String>> created = new HashMap<>();

  FakeReports(FakeFlowServer server) {
    this.server = server;
  }

  /**
   * Does what a report says, or says why not.
   *
   * @param in its fields
   */
  ReportResult settle(Report sent, SentFields in) {
    Optional<ReportResult> refusal = server.faults.refusalOf(sent);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    try {
      Report report = read(in);
      FakeTask task = server.tasks.get(report.taskId());
      ReportResult verdict = verdictWithCreates(report, task);
      if (verdict.outcome() == ReportResult.Verdict.ACCEPTED) {
        write(report, task);
        server.seen.accepted.add(sent);
        server.tasks.tellOfEnd(task);
      }
      return verdict;
    } catch (FlowException e) {
      return ReportResult.refused(sent.taskId(), e.errorCode(), e.getMessage());
    }
  }

  /** The report with what its fields may hold; of an outcome, those that belong to it. */
  private static Report read(SentFields in) {
    Report report = ReportFields.report(in, TaskFields.writtenTask(in));
    List<NewTask> creates =
        ReportFields.creates(in, report.outcome()).stream().map(TaskFields::task).toList();
    if (!creates.isEmpty()) {
      String traceParent = TraceParent.validOrNull(in.text("traceParent").value());
      report = report.withCreates(creates).withTraceParent(traceParent);
    }
    in.refuseIfBad();
    return report;
  }

  private ReportResult verdictWithCreates(Report report, FakeTask task) {
    ReportResult verdict = HoldFence.verdict(task.row, report);
    String hold = report.taskId() + "/" + report.leaseEpoch();
    if (verdict.outcome() != ReportResult.Verdict.ACCEPTED) {
      boolean isRepeat = verdict.stands() && !createsOf(report).isEmpty();
      return isRepeat ? verdict.withCreated(created.get(hold)) : verdict;
    }
    String taskType = server.types.of(task).taskType();
    server.types.checkSealing(taskType, report.taskContext(), "taskContext");
    server.types.checkSealing(taskType, report.result(), "result");
    List<String> ids = create(report, task);
    if (ids != null && report.reportId() != null) {
      created.put(hold, ids);
    }
    return verdict.withCreated(ids);
  }

  /** Creates the tasks of a report; {@code null} if it has none. */
  private List<String> create(Report report, FakeTask task) {
    if (createsOf(report).isEmpty()) {
      return null;
    }
    List<NewTask> bodies = createsOf(report);
    for (int i = 0; i < bodies.size(); i++) {
      String type = bodies.get(i).taskType();
      if (!server.types.exists(type)) {
        throw new FlowException(
            ErrorCode.NO_SUCH_TASK_TYPE,
            "creates[" + i + "].taskType: there is no task type " + type);
      }
      server.types.checkSealing(
          type, bodies.get(i).taskContext(), "creates[" + i + "].taskContext");
    }
    try {
      return server.creates.createAll(bodies, null, traceParentOf(report, task), task).stream()
          .map(CreateResult::taskId)
          .toList();
    } catch (FakeCreates.KeyConflictException e) {
      String field = "creates[" + bodies.indexOf(e.body()) + "].idempotencyKey";
      throw new FlowException(e.errorCode(), field + ": " + e.getMessage());
    }
  }

  private static List<NewTask> createsOf(Report report) {
    return Objects.requireNonNullElse(report.creates(), List.of());
  }

  private static String traceParentOf(Report report, FakeTask task) {
    return report.traceParent() == null ? task.row.traceParent() : report.traceParent();
  }

  private void write(Report report, FakeTask task) {
    server.tasks.apply(
        task, HoldEnd.reported(server.tasks.rowNow(task), report, server.types.rulesOf(task)));
    if (report.outcome() == Outcome.NEXT_STAGE
        && report.workerIds() != null
        && !task.row.isCopy()) {
      task.workers = Set.copyOf(report.workerIds());
    }
  }
}
