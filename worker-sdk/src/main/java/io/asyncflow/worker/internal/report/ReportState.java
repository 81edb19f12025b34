package io.asyncflow.worker.internal.report;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;

/** The states of a report, from the end of its run to its settlement. */
public enum ReportState {
  /** To be sent at once: with the next hold, or with other reports. */
  NEW,
  /** To be sent at once, with other reports only. */
  READY,
  /** Waits for the link, as all calls do: no task is asked for before the report is answered. */
  STRANDED,
  /** Failed while all other calls worked: the report may be the cause. */
  FAILING,
  /** Settled. */
  SETTLED;

  /** The events of a report. */
  public enum Event {
    /** A hold carried it and did not settle it. */
    LEFT_BY_HOLD,
    /** There was no answer, or an error that affects all calls. */
    CUT_OFF,
    /** There was no answer, or an error that may pass, while all other calls worked. */
    FAILED,
    /** The link is restored: it waits no longer. */
    HURRIED,
    /** The server has accepted or refused it. */
    ANSWERED,
    /** It has failed for too long. */
    GIVEN_UP
  }

  public static final TransitionTable<ReportState, Event> TABLE =
      new TransitionTable<>(
          on(NEW, Event.LEFT_BY_HOLD, READY),
          on(NEW, Event.CUT_OFF, STRANDED),
          on(NEW, Event.FAILED, FAILING),
          on(NEW, Event.ANSWERED, SETTLED),
          on(READY, Event.CUT_OFF, STRANDED),
          on(READY, Event.FAILED, FAILING),
          on(READY, Event.ANSWERED, SETTLED),
          on(STRANDED, Event.HURRIED, STRANDED),
          on(STRANDED, Event.CUT_OFF, STRANDED),
          on(STRANDED, Event.FAILED, FAILING),
          on(STRANDED, Event.ANSWERED, SETTLED),
          on(FAILING, Event.CUT_OFF, STRANDED),
          on(FAILING, Event.FAILED, FAILING),
          on(FAILING, Event.ANSWERED, SETTLED),
          on(FAILING, Event.GIVEN_UP, SETTLED));

  private static Transition<ReportState, Event> on(ReportState from, Event event, ReportState to) {
    return new Transition<>(from, event, to);
  }
}
