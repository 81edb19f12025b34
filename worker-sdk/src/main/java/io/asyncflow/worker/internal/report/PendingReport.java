package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import java.time.Duration;

/**
 * A report on its way.
 *
 * @param stranded whether it waits for the link: nothing new is begun until that is back
 * @param failures so far; each makes the next wait longer
 * @param aloneSince when it began to fail while everything else works; {@link #NEVER} if it does
 *     not
 * @param notBefore when it is sent next, at the earliest
 * @param piggybackable whether it may go with a hold; once at most, only before it has failed, and
 *     never if it gives the task back or is too large
 */
public record PendingReport(
    ReportOrigin origin,
    Report report,
    boolean stranded,
    int failures,
    long aloneSince,
    long notBefore,
    boolean piggybackable) {

  private static final long NEVER = Long.MAX_VALUE;

  /** One that can go out at once. */
  static PendingReport fresh(ReportOrigin origin, Report report) {
    // A hold that gives a task back would be the first to get it again.
    boolean piggybackable = report.outcome() != Outcome.RELEASE && !LargeTexts.isLarge(report);
    return new PendingReport(origin, report, false, 0, NEVER, 0, piggybackable);
  }

  /** One that an earlier process could not deliver. */
  static PendingReport leftBehind(Report report) {
    ReportOrigin origin =
        new ReportOrigin.Earlier(report.taskId(), report.leaseEpoch(), report.workerId());
    return new PendingReport(origin, report, true, 0, NEVER, 0, false);
  }

  /**
   * The same after one more failure.
   *
   * @param alone whether everything else works
   */
  PendingReport again(boolean alone, long now, Duration wait) {
    return new PendingReport(
        origin,
        report,
        !alone,
        failures + 1,
        alone ? Math.min(aloneSince, now) : NEVER,
        now + wait.toNanos(),
        false);
  }

  /** The same, with its text in the store. */
  PendingReport moved(Report light) {
    return new PendingReport(
        origin, light, stranded, failures, aloneSince, notBefore, piggybackable);
  }

  /** The same without the rest of its wait. */
  PendingReport now() {
    return new PendingReport(origin, report, stranded, failures, aloneSince, 0, piggybackable);
  }

  /** The same after it went with a hold, and nobody knows what became of it. */
  PendingReport piggybackedInVain() {
    return new PendingReport(origin, report, stranded, failures, aloneSince, notBefore, false);
  }

  /** Whether it has failed alone for so long. */
  boolean aloneFor(Duration duration, long now) {
    return aloneSince != NEVER && now - aloneSince >= duration.toNanos();
  }
}
