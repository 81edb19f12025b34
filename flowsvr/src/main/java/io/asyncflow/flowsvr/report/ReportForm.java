package io.asyncflow.flowsvr.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TraceParent;
import io.asyncflow.flowsvr.create.NewTaskForm;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.access.Secrets;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a report. Of the fields that belong to a single outcome, only those of the report's outcome
 * are read.
 */
final class ReportForm {

  private static final int MAX_REPORT_ID = 64;
  private static final int MAX_MESSAGE = 1_000;
  private static final long TEN_YEARS_MS = 315_360_000_000L;
  private static final String OUTCOME_RULE =
      "must be one of NEXT_STAGE, SUCCESS, RETRY, FAIL, SNOOZE and RELEASE";

  private static final Set<Outcome> MAY_CREATE =
      EnumSet.of(Outcome.NEXT_STAGE, Outcome.SUCCESS, Outcome.FAIL);

  private ReportForm() {}

  /** Whether this is a report, rather than the partial update of an old client. */
  static boolean isReport(Fields in) {
    return in.has("outcome") || in.has("leaseEpoch");
  }

  /** Reads the report; it is valid only if {@code in} has no invalid field afterwards. */
  static ParsedReport read(Fields in) {
    TaskId id = TaskFields.writtenTask(in);
    Outcome outcome = in.text("outcome").required().as(ReportForm::outcome, OUTCOME_RULE);
    in.refuseMisnomer("context", "taskContext");
    String reportId = in.text("reportId").name().max(MAX_REPORT_ID).value();
    Report report =
        Report.of(id == null ? null : id.toString(), workerId(in), leaseEpoch(in), outcome)
            .withReportId("".equals(reportId) ? null : reportId);
    return new ParsedReport(
        id, outcome == null ? report : details(in, report), creates(in, outcome));
  }

  private static List<TaskDraft> creates(Fields in, Outcome outcome) {
    if (!in.has("creates")) {
      return List.of();
    }
    if (!MAY_CREATE.contains(outcome)) {
      in.refuse("creates", "is only for NEXT_STAGE, SUCCESS and FAIL");
      return List.of();
    }
    String traceParent = TraceParent.validOrNull(in.text("traceParent").value());
    return in.objects("creates", 0, Report.MOST_CREATES).stream()
        .map(task -> NewTaskForm.read(task).inTraceUnlessSaid(traceParent))
        .toList();
  }

  private static Integer leaseEpoch(Fields in) {
    return in.number("leaseEpoch").required().between(0, Integer.MAX_VALUE).asInteger();
  }

  private static Report details(Fields in, Report report) {
    switch (report.outcome()) {
      case NEXT_STAGE:
        return report
            .withNext(TaskFields.taskStage(in), TaskFields.taskContext(in), TaskFields.priority(in))
            .withWorkerIds(workers(in));
      case SUCCESS:
        return report.withResult(in.text("result").maxBytes(TaskLimits.CONTEXT_BYTES).value());
      case RETRY:
        return report
            .withErrMsg(cut(Secrets.masked(in.prose("errMsg"))))
            .withRetryAfterMs(in.number("retryAfterMs").between(0, TEN_YEARS_MS).asLong())
            .withUnexpected(in.flag("unexpected"))
            .withLocalRetries(localRetries(in));
      case FAIL:
        return report
            .withErrMsg(cut(Secrets.masked(in.prose("errMsg"))))
            .withLocalRetries(localRetries(in));
      case SNOOZE:
        return report.withDelayMs(
            in.number("delayMs").required().between(0, TEN_YEARS_MS).asLong());
      default:
        return report;
    }
  }

  /** The workers of the next stage; an empty list stands for all, an absent one for the same. */
  private static List<String> workers(Fields in) {
    return in.has("workerIds")
        ? List.copyOf(in.names("workerIds").max(Lane.WORKERS, TaskLimits.WORKER_ID).values())
        : null;
  }

  private static Integer localRetries(Fields in) {
    return in.number("localRetries").between(0, TaskLimits.RETRIES).asInteger();
  }

  /**
   * The worker id. It may be empty, as in the row after a hold without one, but must be present.
   */
  private static String workerId(Fields in) {
    if (!in.has("workerId")) {
      in.refuse("workerId", "is required");
      return null;
    }
    return in.text("workerId").name().max(TaskLimits.WORKER_ID).value();
  }

  private static Optional<Outcome> outcome(String text) {
    return Arrays.stream(Outcome.values()).filter(o -> o.name().equals(text)).findFirst();
  }

  /** Cuts a message, which may be a whole stack trace, to its maximum length. */
  static String cut(String message) {
    return message.codePointCount(0, message.length()) <= MAX_MESSAGE
        ? message
        : message.substring(0, message.offsetByCodePoints(0, MAX_MESSAGE));
  }
}
