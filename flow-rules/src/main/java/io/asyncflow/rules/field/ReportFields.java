package io.asyncflow.rules.field;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.rules.CodePoints;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.access.Secrets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The fields of a report. Of those that belong to a single outcome, only those of the report's
 * outcome are read.
 */
public final class ReportFields {

  private static final int MAX_REPORT_ID = 64;
  private static final int MAX_MESSAGE = 1_000;
  private static final String OUTCOME_RULE =
      "must be one of NEXT_STAGE, SUCCESS, RETRY, FAIL, SNOOZE and RELEASE";

  private static final Set<Outcome> MAY_CREATE =
      EnumSet.of(Outcome.NEXT_STAGE, Outcome.SUCCESS, Outcome.FAIL);

  private ReportFields() {}

  /**
   * Reads the report without its {@code creates}; it is valid only if {@code in} has no invalid
   * field afterwards.
   *
   * @param id as {@link TaskFields#taskId} reads it
   */
  public static Report report(FieldSource in, TaskId id) {
    Outcome outcome = in.text("outcome").required().choice(Outcome.values(), OUTCOME_RULE);
    in.refuseMisnomer("context", "taskContext");
    String reportId = in.text("reportId").name().max(MAX_REPORT_ID).value();
    Report report =
        Report.of(
                id == null ? null : id.toString(), workerId(in), TaskFields.leaseEpoch(in), outcome)
            .withReportId("".equals(reportId) ? null : reportId);
    return outcome == null ? report : details(in, report);
  }

  /** The tasks that the report creates, each of which {@link TaskFields#task} reads. */
  public static List<? extends FieldSource> creates(FieldSource in, Outcome outcome) {
    if (!in.has("creates")) {
      return List.of();
    }
    if (!MAY_CREATE.contains(outcome)) {
      in.refuse("creates", "is only for NEXT_STAGE, SUCCESS and FAIL");
      return List.of();
    }
    return in.objects("creates", 0, Report.MOST_CREATES);
  }

  private static Report details(FieldSource in, Report report) {
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
            .withRetryAfterMs(in.number("retryAfterMs").between(0, TaskLimits.DELAY_MS).asLong())
            .withUnexpected(in.flag("unexpected"))
            .withLocalRetries(localRetries(in));
      case FAIL:
        return report
            .withErrMsg(cut(Secrets.masked(in.prose("errMsg"))))
            .withLocalRetries(localRetries(in));
      case SNOOZE:
        return report.withDelayMs(
            in.number("delayMs").required().between(0, TaskLimits.DELAY_MS).asLong());
      default:
        return report.withBegun(in.flag("begun"));
    }
  }

  /** The workers of the next stage; an empty list stands for all, an absent one for the same. */
  private static List<String> workers(FieldSource in) {
    return in.has("workerIds")
        ? List.copyOf(in.names("workerIds").max(Lane.WORKERS, TaskLimits.WORKER_ID).values())
        : null;
  }

  private static Integer localRetries(FieldSource in) {
    return in.number("localRetries").between(0, TaskLimits.RETRIES).asInteger();
  }

  /**
   * The worker id. It may be empty, as in the row after a hold without one, but must be present.
   */
  private static String workerId(FieldSource in) {
    if (!in.has("workerId")) {
      in.refuse("workerId", "is required");
      return null;
    }
    return in.text("workerId").name().max(TaskLimits.WORKER_ID).value();
  }

  /** Cuts a message, which may be a whole stack trace, to its maximum length. */
  static String cut(String message) {
    return CodePoints.cut(message, MAX_MESSAGE);
  }
}
