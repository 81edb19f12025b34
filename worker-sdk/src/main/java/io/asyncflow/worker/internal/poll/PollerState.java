package io.asyncflow.worker.internal.poll;

import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;

/** What a poller does. */
public enum PollerState {
  /** No hold is out: nothing can be asked for just now, or the server gives no answer. */
  PENDING,
  /** A hold is out, under way or parked at the server. */
  POLLING,
  /** It asks no more. */
  STOPPED;

  /** What happens to a poller. */
  public enum Event {
    /** There is something to ask for: room, and stages that could start. */
    READY,
    /** There is not: no configuration, no room, no slot, too much of a backlog. */
    NOT_READY,
    /** The hold was answered, with tasks or with none. */
    ANSWERED,
    /** No answer came: the next hold repeats this one under its id. */
    UNANSWERED,
    /** The server refused the hold; the next one is a new one. */
    REFUSED,
    /**
     * A slot became free under a parked hold, which is cut short to be repeated for more stages.
     */
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
