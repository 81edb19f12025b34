package io.asyncflow.flowsvr.queue.report;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ReportResult;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.IdempotencyConflictException;
import io.asyncflow.flowsvr.queue.create.ReportedCreateStore;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.queue.report.TaskReporter.Judged;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Writes reports that create tasks: each report and its tasks are one transaction. A report is
 * accepted once, so its tasks are created once. Thread-safe.
 *
 * <p>The tasks are inserted first and the report's row is locked last, because creates lock keys
 * before rows.
 */
@Component
class CreatingReports {

  private final TaskTypes types;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskCreator creator;
  private final ReportedCreateStore reportedCreates;

  CreatingReports(
      TaskTypes types,
      TaskStore tasks,
      TransitionStore transitions,
      TaskCreator creator,
      ReportedCreateStore reportedCreates) {
    this.types = types;
    this.tasks = tasks;
    this.transitions = transitions;
    this.creator = creator;
    this.reportedCreates = reportedCreates;
  }

  /**
   * Judges the report and, if it is accepted, writes it and creates its tasks.
   *
   * @param report a report of a task of a configured type, whose table exists
   */
  Judged write(ParsedReport report) {
    TaskRow row = tasks.find(report.task()).orElse(null);
    ReportResult verdict = TaskReporter.judge(row, report, types.require(report.task().type()));
    if (!TaskReporter.isAccepted(verdict)) {
      return notWritten(report, verdict);
    }
    for (int i = 0; i < report.creates().size(); i++) {
      TaskDraft task = report.creates().get(i);
      TaskTypeConfig type = types.find(task.type()).orElse(null);
      if (type == null) {
        return refused(
            report,
            ErrorCode.NO_SUCH_TASK_TYPE,
            "creates[" + i + "].taskType: there is no task type " + task.type().name());
      }
      try {
        type.sealRule().check(type.type().name(), task.context(), "creates[" + i + "].taskContext");
      } catch (FlowException e) {
        return refused(report, e.errorCode(), e.getMessage());
      }
    }
    List<TaskDraft> creates = inTraceOf(row, report.creates());
    List<TaskTransition> written = new ArrayList<>();
    CreateCall call =
        CreateCall.of(creates)
            .seenBy(report.users())
            .reportedBy(report.task())
            .and(
                ids -> {
                  written.clear();
                  written.add(accept(report, ids));
                });
    try {
      List<TaskId> ids = creator.create(call);
      return new Judged(
          List.of(verdict.withCreated(ids.stream().map(TaskId::toString).toList())), written);
    } catch (NotAcceptedException e) {
      return notWritten(report, e.verdict);
    } catch (IdempotencyConflictException e) {
      int i = creates.indexOf(e.task());
      return refused(report, e.errorCode(), "creates[" + i + "].idempotencyKey: " + e.getMessage());
    } catch (FlowException e) {
      if (e.errorCode().retryable()) {
        throw e;
      }
      return refused(report, e.errorCode(), "creates: " + e.getMessage());
    }
  }

  /** What a run creates without saying in which trace belongs to that of its task. */
  private static List<TaskDraft> inTraceOf(TaskRow row, List<TaskDraft> creates) {
    return row.traceParent() == null
        ? creates
        : creates.stream().map(task -> task.inTraceUnlessSaid(row.traceParent())).toList();
  }

  private TaskTransition accept(ParsedReport report, List<TaskId> ids) {
    TaskId id = report.task();
    TaskRow row = tasks.lock(id.table(), List.of(id.number())).stream().findFirst().orElse(null);
    TaskTypeConfig type = types.require(id.type());
    ReportResult verdict = TaskReporter.judge(row, report, type);
    if (!TaskReporter.isAccepted(verdict)) {
      throw new NotAcceptedException(verdict);
    }
    TaskTransition transition = report.transition(row, type);
    transitions.apply(List.of(transition));
    if (report.report().reportId() != null) {
      reportedCreates.insert(id, row.leaseEpoch(), ids);
    }
    return transition;
  }

  private Judged notWritten(ParsedReport report, ReportResult verdict) {
    Optional<List<String>> created =
        verdict.stands()
            ? reportedCreates.find(report.task(), report.report().leaseEpoch())
            : Optional.empty();
    return new Judged(List.of(created.map(verdict::withCreated).orElse(verdict)), List.of());
  }

  private static Judged refused(ParsedReport report, ErrorCode code, String why) {
    return new Judged(List.of(TaskReporter.refused(report, code, why)), List.of());
  }

  /** The report is not accepted after all; nothing must be committed. */
  private static final class NotAcceptedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ReportResult verdict;

    NotAcceptedException(ReportResult verdict) {
      this.verdict = verdict;
    }
  }
}
