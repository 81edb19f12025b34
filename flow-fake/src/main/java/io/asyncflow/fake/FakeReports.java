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
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.access.Secrets;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.SentTask;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Takes the reports of the holds of a {@link FakeFlowServer}, guarded by its lock. */
final class FakeReports {

  private final FakeFlowServer server;

  /** What the reports of holds created, by task and epoch. */
  private final Map<String, List<String>> created = new HashMap<>();

  FakeReports(FakeFlowServer server) {
    this.server = server;
  }

  /** Does what a report says, or says why not. */
  ReportResult settle(Report report) {
    ReportResult verdict =
        server.faults.refusalOf(report).orElseGet(() -> verdictWithCreates(report));
    if (verdict.outcome() == ReportResult.Verdict.ACCEPTED) {
      write(report, server.tasks.get(report.taskId()));
    }
    return verdict;
  }

  /** The verdict; if the report is accepted, its tasks are created. */
  private ReportResult verdictWithCreates(Report report) {
    try {
      check(report);
      FakeTask task = server.tasks.find(report.taskId());
      return task == null
          ? ReportResult.refused(report.taskId(), ErrorCode.NO_SUCH_TASK, "no such task")
          : verdictWithCreates(report, task);
    } catch (FlowException e) {
      return ReportResult.refused(report.taskId(), e.errorCode(), e.getMessage());
    }
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

  /** Refuses what the fields of a report may not hold; of an outcome, those that belong to it. */
  private void check(Report report) {
    SentFields in = new SentFields().withAll(report);
    if (report.outcome() == Outcome.NEXT_STAGE) {
      TaskFields.taskStage(in);
      TaskFields.taskContext(in);
      TaskFields.priority(in);
      in.names("workerIds").max(Lane.WORKERS, TaskLimits.WORKER_ID);
    } else if (report.outcome() == Outcome.SUCCESS) {
      in.text("result").maxBytes(TaskLimits.CONTEXT_BYTES);
    }
    in.objects("creates", report.creates(), 0, Report.MOST_CREATES)
        .forEach(task -> SentTask.check(task, server.millis()));
    in.refuseIfBad();
  }

  /** Creates the tasks of a report; {@code null} if it has none. */
  private List<String> create(Report report, FakeTask task) {
    if (createsOf(report).isEmpty()) {
      return null;
    }
    List<NewTask> bodies = server.creates.bodiesOf(createsOf(report), i -> "creates[" + i + "]");
    try {
      return server.creates.createAll(bodies, traceParentOf(report, task)).stream()
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
    String own = TraceParent.validOrNull(report.traceParent());
    return own == null ? task.row.traceParent() : own;
  }

  private void write(Report report, FakeTask task) {
    Report masked = report.withErrMsg(Secrets.masked(report.errMsg()));
    server.tasks.apply(
        task, HoldEnd.reported(server.tasks.rowNow(task), masked, server.types.rulesOf(task)));
    if (report.outcome() == Outcome.NEXT_STAGE
        && report.workerIds() != null
        && !task.row.isCopy()) {
      task.workers = Set.copyOf(report.workerIds());
    }
    server.seen.accepted.add(report);
    server.tasks.tellOfEnd(task);
  }
}
