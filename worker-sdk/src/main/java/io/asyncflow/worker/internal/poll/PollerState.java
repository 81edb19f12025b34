package io.asyncflow.worker.internal.poll;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;

/** The states of a poller. */
public enum PollerState {
  /** No hold is open: there is nothing to ask for, or the server does not answer. */
  PENDING,
  /** A hold is open, in progress or parked at the server. */
  POLLING,
  /** The poller has ended. */
  STOPPED;

  /** The events of a poller. */
  public enum Event {
    /** There is something to ask for: room, and stages that could start. */
    READY,
    /**
     * There is nothing to ask for: the worker is paused, or there is no configuration, no room, no
     * slot, or too large a backlog.
     */
    NOT_READY,
    /** The hold was answered, with tasks or with none. */
    ANSWERED,
    /** The hold got no answer: the next one repeats it under its id. */
    UNANSWERED,
    /** The server refused the hold; the next one has a new id. */
    REFUSED,
    /** A slot became free during a parked hold, which is ended to be repeated for more stages. */
    CUT,
    /** The worker stops. */
    STOP
  }

  public static final TransitionTable<PollerState, Event> TABLE =
      new TransitionTable<>(
          on(PENDING, Event.NOT_READY, PENDING),
          on(PENDING, Event.READY, POLLING),
          on(PENDING, Event.STOP, STOPPED),
          on(POLLING, Event.ANSWERED, PENDING),
          on(POLLING, Event.UNANSWERED, PENDING),
          on(POLLING, Event.REFUSED, PENDING),
          on(POLLING, Event.CUT, PENDING),
          on(POLLING, Event.STOP, STOPPED));

  private static Transition<PollerState, Event> on(PollerState from, Event event, PollerState to) {
    return new Transition<>(from, event, to);
  }
}
