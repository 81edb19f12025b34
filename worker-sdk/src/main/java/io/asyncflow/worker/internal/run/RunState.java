package io.asyncflow.worker.internal.run;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;

/** The states of a held task, from the hold to its settled report. */
public enum RunState {
  /** Held, and waiting for a thread or a slot. */
  QUEUED,
  /** Its handler runs. */
  WORKING,
  /** Its result is being reported. */
  REPORTING,
  /** It has no result; the consequence is being decided. */
  ERROR,
  /** Settled. */
  SETTLED;

  /** The events of a run. */
  public enum Event {
    /** A thread took it. */
    STARTED,
    /** It is released unstarted: this worker cannot run it, or not soon enough. */
    RELEASED,
    /** The handler returned a result. */
    RETURNED,
    /** The handler threw, or returned nothing that can be reported. */
    THREW,
    /** It was interrupted at its deadline. */
    TIMED_OUT,
    /** It was interrupted because the worker stops. */
    SHUT_DOWN,
    /** Another worker may hold the lease. */
    LOST,
    /** An operator cancelled the task. */
    CANCELLED,
    /** The report was accepted. */
    ACCEPTED,
    /** The server refused the report. */
    REFUSED,
    /** The report got no answer for too long. */
    GIVEN_UP,
    /** The error is reported. */
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
