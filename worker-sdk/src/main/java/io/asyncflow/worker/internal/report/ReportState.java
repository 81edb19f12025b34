package io.asyncflow.worker.internal.report;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;

/** Where a report stands, from the end of its run to the answer that settles it. */
public enum ReportState {
  /** It goes out at once: with the next hold, or with other reports. */
  NEW,
  /** It goes out at once, with other reports alone. */
  READY,
  /** It waits for the link, as everything does: no task is asked for before it is answered. */
  STRANDED,
  /** It failed while everything else worked: the fault may be its own. */
  FAILING,
  /** Over. */
  SETTLED;

  /** What happens to a report. */
  public enum Event {
    /** A hold took it along and did not settle it. */
    LEFT_BY_HOLD,
    /** No answer came, or one that meets everything else, too. */
    CUT_OFF,
    /** No answer came, or one that may be another next time, while everything else worked. */
    FAILED,
    /** The link is back: it waits no longer. */
    HURRIED,
    /** The server has said what becomes of it. */
    ANSWERED,
    /** It was failing for too long. */
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
