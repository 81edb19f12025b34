package io.asyncflow.worker.internal.run;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;

/** Where a held task stands, from the hold to its settled report. */
public enum RunState {
  /** Held, and waiting for a thread or a slot. */
  QUEUED,
  /** Its handler runs. */
  WORKING,
  /** What it came to is on its way to the server. */
  REPORTING,
  /** It did not come to a result: what that means is being decided. */
  ERROR,
  /** Over. */
  SETTLED;

  /** What happens to a run. */
  public enum Event {
    /** A thread took it. */
    STARTED,
    /** It is given back untouched: nobody here can run it, or not soon enough. */
    RELEASED,
    /** The handler came to a result. */
    RETURNED,
    /** The handler threw, or came to nothing that can be reported. */
    THREW,
    /** It was interrupted at its deadline. */
    TIMED_OUT,
    /** It was interrupted because the worker stops. */
    SHUT_DOWN,
    /** The lease may be somebody else's. */
    LOST,
    /** An operator cancelled the task. */
    CANCELLED,
    /** The report stands. */
    ACCEPTED,
    /** The server does not take the report. */
    REFUSED,
    /** No answer to the report came for too long. */
    GIVEN_UP,
    /** The error has a report of its own. */
    EXPLAINED,
    /** There is nothing to report. */
    DROPPED
  }

  public static final TransitionTable<RunState, Event> TABLE =
      new TransitionTable<>(
          on(QUEUED, Event.STARTED, WORKING),
          on(QUEUED, Event.RELEASED, REPORTING),
          on(QUEUED, Event.LOST, ERROR),
          on(QUEUED, Event.CANCELLED, ERROR),
          on(WORKING, Event.RETURNED, REPORTING),
          on(WORKING, Event.THREW, ERROR),
          on(WORKING, Event.TIMED_OUT, ERROR),
          on(WORKING, Event.SHUT_DOWN, ERROR),
          on(WORKING, Event.LOST, ERROR),
          on(WORKING, Event.CANCELLED, ERROR),
          on(REPORTING, Event.ACCEPTED, SETTLED),
          on(REPORTING, Event.REFUSED, ERROR),
          on(REPORTING, Event.GIVEN_UP, ERROR),
          on(ERROR, Event.EXPLAINED, REPORTING),
          on(ERROR, Event.DROPPED, SETTLED));

  private static Transition<RunState, Event> on(RunState from, Event event, RunState to) {
    return new Transition<>(from, event, to);
  }
}
