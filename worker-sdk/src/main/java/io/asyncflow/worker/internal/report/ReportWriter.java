package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.stage.ContextJson;
import java.time.Duration;
import java.util.UUID;

/** Converts the result of a run into a report. */
public final class ReportWriter {

  private final String workerId;

  public ReportWriter(String workerId) {
    this.workerId = workerId;
  }

  /**
   * @throws NonRetryableException if a context or result cannot be written as JSON, or is too large
   *     for the store
   */
  public Report of(Task task, StageResult result) {
    if (result instanceof StageResult.NextStage next) {
      String context = written(next.context());
      return report(
          task, Outcome.NEXT_STAGE, next.stage(), context, next.priority(), null, null, null, null);
    }
    if (result instanceof StageResult.Done done) {
      String value = written(done.result());
      return report(task, Outcome.SUCCESS, null, null, null, value, null, null, null);
    }
    if (result instanceof StageResult.Retry retry) {
      return retry(task, retry.reason(), retry.delay());
    }
    if (result instanceof StageResult.Fail fail) {
      return fail(task, fail.reason());
    }
    StageResult.Snooze snooze = (StageResult.Snooze) result;
    Long delay = snooze.delay().toMillis();
    return report(task, Outcome.SNOOZE, null, null, null, null, null, null, delay);
  }

  private static String written(Object value) {
    String text = ContextJson.write(value);
    LargeTexts.requireStorable(text);
    return text;
  }

  Report of(Task task, Throwable thrown) {
    String reason = FailureText.of(thrown);
    return thrown instanceof NonRetryableException ? fail(task, reason) : retry(task, reason, null);
  }

  Report retry(Task task, String reason, Duration delay) {
    Long retryAfter = delay == null ? null : delay.toMillis();
    String text = wordsOf(reason);
    return report(task, Outcome.RETRY, null, null, null, null, text, retryAfter, null);
  }

  Report fail(Task task, String reason) {
    String text = wordsOf(reason);
    return report(task, Outcome.FAIL, null, null, null, null, text, null, null);
  }

  /** A FAIL that explains why the server refused a report. */
  Report failInstead(Report refused, String reason) {
    return new Report(
        refused.taskId(),
        refused.workerId(),
        refused.leaseEpoch(),
        Outcome.FAIL,
        UUID.randomUUID().toString(),
        null,
        null,
        null,
        null,
        wordsOf(reason),
        null,
        null);
  }

  Report release(Task task) {
    return report(task, Outcome.RELEASE, null, null, null, null, null, null, null);
  }

  private static String wordsOf(String reason) {
    return reason == null || reason.isBlank()
        ? "the handler gave no reason"
        : FailureText.fit(reason);
  }

  private Report report(
      Task task,
      Outcome outcome,
      String stage,
      String context,
      Integer priority,
      String result,
      String errMsg,
      Long retryAfterMs,
      Long delayMs) {
    return new Report(
        task.taskId(),
        workerId,
        task.leaseEpoch(),
        outcome,
        UUID.randomUUID().toString(),
        stage,
        context,
        priority,
        result,
        errMsg,
        retryAfterMs,
        delayMs);
  }
}
