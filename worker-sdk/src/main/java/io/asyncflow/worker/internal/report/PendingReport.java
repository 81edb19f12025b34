package io.asyncflow.worker.internal.report;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.worker.internal.report.ReportState.Event;
import io.asyncflow.worker.internal.run.RunState;
import java.time.Duration;

/**
 * A report on its way. Each change is a new one, by {@link ReportState#TABLE}.
 *
 * @param failures so far; each makes the next wait longer
 * @param failingSince the first failure in a row while everything else worked; {@link #NEVER} if
 *     the last one was none of these
 * @param notBefore when it is sent next, at the earliest
 */
public record PendingReport(
    ReportOrigin origin,
    Report report,
    ReportState state,
    int failures,
    long failingSince,
    long notBefore) {

  private static final long NEVER = Long.MAX_VALUE;

  /** One that can go out at once. */
  static PendingReport fresh(ReportOrigin origin, Report report) {
    // A hold that gives a task back would be the first to get it again.
    boolean piggybackable = report.outcome() != Outcome.RELEASE && !LargeTexts.isLarge(report);
    ReportState state = piggybackable ? ReportState.NEW : ReportState.READY;
    return new PendingReport(origin, report, state, 0, NEVER, 0);
  }

  /** One that an earlier process could not deliver. */
  static PendingReport leftBehind(Report report) {
    ReportOrigin origin =
        new ReportOrigin.Earlier(report.taskId(), report.leaseEpoch(), report.workerId());
    return new PendingReport(origin, report, ReportState.STRANDED, 0, NEVER, 0);
  }

  /** Whether it may go with a hold. */
  boolean piggybackable() {
    return state == ReportState.NEW;
  }

  /** Whether it waits for the link: nothing new is begun until that is back. */
  boolean stranded() {
    return state == ReportState.STRANDED;
  }

  /** Whether it has failed for so long while everything else worked. */
  boolean failingFor(Duration duration, long now) {
    return failingSince != NEVER && now - failingSince >= duration.toNanos();
  }

  /** The same, with its text in the store. */
  PendingReport stored(Report light) {
    return new PendingReport(origin, light, state, failures, failingSince, notBefore);
  }

  /** The same after it went with a hold that did not settle it. */
  PendingReport leftByHold() {
    return new PendingReport(
        origin, report, after(Event.LEFT_BY_HOLD), failures, failingSince, notBefore);
  }

  /** The same after one more failure, which was everything's. */
  PendingReport cutOff(long now, Duration wait) {
    return new PendingReport(
        origin, report, after(Event.CUT_OFF), failures + 1, NEVER, now + wait.toNanos());
  }

  /** The same after one more failure, which was its own. */
  PendingReport failed(long now, Duration wait) {
    return new PendingReport(
        origin,
        report,
        after(Event.FAILED),
        failures + 1,
        Math.min(failingSince, now),
        now + wait.toNanos());
  }

  /** The same without the rest of its wait. */
  PendingReport hurried() {
    return new PendingReport(origin, report, after(Event.HURRIED), failures, failingSince, 0);
  }

  /** Ends it: it stands. */
  void accepted() {
    after(Event.ANSWERED);
    origin.accepted();
  }

  /** Ends it: it counts for nothing. */
  void refused() {
    after(Event.ANSWERED);
    origin.dropped(RunState.Event.REFUSED);
  }

  /** Ends it: it is refused, and another one says why. */
  PendingReport replaced(Report explanation) {
    after(Event.ANSWERED);
    origin.explained();
    return fresh(origin, explanation);
  }

  /** Ends it, without an answer. */
  void givenUp() {
    after(Event.GIVEN_UP);
    origin.dropped(RunState.Event.GIVEN_UP);
  }

  private ReportState after(Event event) {
    return ReportState.TABLE.take(state, event).to();
  }
}
