package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.internal.report.ReportState.Event;
import io.asyncflow.worker.internal.run.RunState;
import java.time.Duration;

/**
 * An undelivered report. Immutable: each transition of {@link ReportState#TABLE} returns a new one.
 *
 * @param failures the number of failures so far, which lengthens the next wait
 * @param failingSince the first failure in a row while all other calls worked; {@link #NEVER} if
 *     the last failure was not such a one
 * @param notBefore the earliest moment of the next try
 */
public record PendingReport(
    ReportOrigin origin,
    Report report,
    ReportState state,
    int failures,
    long failingSince,
    long notBefore) {

  private static final long NEVER = Long.MAX_VALUE;

  /** A new report that can be sent at once. */
  static PendingReport fresh(ReportOrigin origin, Report report) {
    // A hold that carries the release of a task would get the same task again.
    boolean piggybackable = report.outcome() != Outcome.RELEASE && !LargeTexts.isLarge(report);
    ReportState state = piggybackable ? ReportState.NEW : ReportState.READY;
    return new PendingReport(origin, report, state, 0, NEVER, 0);
  }

  /** A report that an earlier process could not deliver. */
  static PendingReport leftBehind(Report report) {
    ReportOrigin origin =
        new ReportOrigin.Earlier(report.taskId(), report.leaseEpoch(), report.workerId());
    return new PendingReport(origin, report, ReportState.STRANDED, 0, NEVER, 0);
  }

  /** Whether the report may be piggybacked on a hold. */
  boolean piggybackable() {
    return state == ReportState.NEW;
  }

  /** Whether the report waits for the link; no new work begins until it is restored. */
  boolean stranded() {
    return state == ReportState.STRANDED;
  }

  /** Whether the report has failed for this long while all other calls worked. */
  boolean failingFor(Duration duration, long now) {
    return failingSince != NEVER && now - failingSince >= duration.toNanos();
  }

  /** The same with its text moved to the store. */
  PendingReport stored(Report light) {
    return new PendingReport(origin, light, state, failures, failingSince, notBefore);
  }

  /** The same after a hold carried it without settling it. */
  PendingReport unsettledByHold() {
    return new PendingReport(
        origin, report, next(Event.LEFT_BY_HOLD), failures, failingSince, notBefore);
  }

  /** The same after a failure that affects all calls. */
  PendingReport cutOff(long now, Duration wait) {
    return new PendingReport(
        origin, report, next(Event.CUT_OFF), failures + 1, NEVER, now + wait.toNanos());
  }

  /** The same after a failure of this report alone. */
  PendingReport failed(long now, Duration wait) {
    return new PendingReport(
        origin,
        report,
        next(Event.FAILED),
        failures + 1,
        Math.min(failingSince, now),
        now + wait.toNanos());
  }

  /** The same without its remaining wait. */
  PendingReport hurried() {
    return new PendingReport(origin, report, next(Event.HURRIED), failures, failingSince, 0);
  }

  /** Ends it: the server accepted it. */
  void accepted() {
    next(Event.ANSWERED);
    origin.accepted();
  }

  /** Ends it: the server refused it. */
  void refused() {
    next(Event.ANSWERED);
    origin.dropped(RunState.Event.REFUSED);
  }

  /** Ends it: it was refused, and the returned report explains why. */
  PendingReport replaced(Report explanation) {
    next(Event.ANSWERED);
    origin.explained();
    return fresh(origin, explanation);
  }

  /** Ends it without an answer. */
  void givenUp() {
    next(Event.GIVEN_UP);
    origin.dropped(RunState.Event.GIVEN_UP);
  }

  private ReportState next(Event event) {
    return ReportState.TABLE.take(state, event).to();
  }
}
