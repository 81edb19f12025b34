package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.json.ContextJson;
import io.asyncflow.worker.internal.run.Run;
import java.time.Duration;
import java.util.UUID;

/** Converts the result of a run into a report. */
public final class ReportWriter {

  private final String workerId;
  private final Sealing sealing;

  public ReportWriter(String workerId, Sealing sealing) {
    this.workerId = workerId;
    this.sealing = sealing;
  }

  /**
   * @throws NonRetryableException if a context or result cannot be written as JSON, or is too large
   *     for the store
   */
  public Report of(Task task, StageResult result) {
    if (result instanceof StageResult.NextStage next) {
      String context = written(Field.of(Kind.CONTEXT, task), next.context());
      return report(task, Outcome.NEXT_STAGE)
          .withNext(next.stage(), context, next.priority())
          .withWorkerIds(next.workerIds())
          .withCreates(sealing.sealed(next.creates()));
    }
    if (result instanceof StageResult.Done done) {
      return report(task, Outcome.SUCCESS)
          .withResult(written(Field.of(Kind.RESULT, task), done.result()))
          .withCreates(sealing.sealed(done.creates()));
    }
    if (result instanceof StageResult.Retry retry) {
      return retry(task, retry.reason(), retry.delay());
    }
    if (result instanceof StageResult.Fail fail) {
      return fail(task, fail.reason()).withCreates(sealing.sealed(fail.creates()));
    }
    StageResult.Snooze snooze = (StageResult.Snooze) result;
    return report(task, Outcome.SNOOZE).withDelayMs(snooze.delay().toMillis());
  }

  /** The text as the row or the store gets it: its size decides which of the two. */
  private String written(Field field, Object value) {
    String text = sealing.seal(field, ContextJson.write(value));
    LargeTexts.requireStorable(text);
    return text;
  }

  /** The report of a run whose handler threw. */
  Report of(Run run, Throwable thrown) {
    String reason = FailureText.of(thrown);
    return thrown instanceof NonRetryableException
        ? fail(run.task(), reason).withLocalRetries(localRetriesOf(run))
        : unexpected(run, reason);
  }

  /** A RETRY for which the handler did not ask. */
  Report unexpected(Run run, String reason) {
    return retry(run.task(), reason, null)
        .withUnexpected(true)
        .withLocalRetries(localRetriesOf(run));
  }

  private static Integer localRetriesOf(Run run) {
    return run.localRetries() == 0 ? null : run.localRetries();
  }

  private Report retry(Task task, String reason, Duration delay) {
    Long retryAfter = delay == null ? null : delay.toMillis();
    return report(task, Outcome.RETRY).withErrMsg(wordsOf(reason)).withRetryAfterMs(retryAfter);
  }

  Report fail(Task task, String reason) {
    return report(task, Outcome.FAIL).withErrMsg(wordsOf(reason));
  }

  /** A FAIL that explains why the server refused a report. */
  Report failInstead(Report refused, String reason) {
    return instead(refused, Outcome.FAIL, reason);
  }

  /** A RETRY that explains why a report did not arrive. */
  Report retryInstead(Report lost, String reason) {
    return instead(lost, Outcome.RETRY, reason).withUnexpected(true);
  }

  private static Report instead(Report other, Outcome outcome, String reason) {
    return Report.of(other.taskId(), other.workerId(), other.leaseEpoch(), outcome)
        .withReportId(UUID.randomUUID().toString())
        .withErrMsg(wordsOf(reason));
  }

  /**
   * @param begun whether its handler was called
   */
  Report release(Task task, boolean begun) {
    return report(task, Outcome.RELEASE).withBegun(begun ? null : false);
  }

  private static String wordsOf(String reason) {
    return reason == null || reason.isBlank()
        ? "the handler gave no reason"
        : FailureText.fit(reason);
  }

  private Report report(Task task, Outcome outcome) {
    return Report.of(task.taskId(), workerId, task.leaseEpoch(), outcome)
        .withReportId(UUID.randomUUID().toString());
  }
}
