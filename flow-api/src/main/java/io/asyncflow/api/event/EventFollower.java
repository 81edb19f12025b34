package io.asyncflow.api.event;

import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Follows events at any of several servers: when a stream ends or breaks, it goes on at the next
 * server from the last cursor. Thread-safe.
 */
public final class EventFollower {

  /** The pause before another stream is opened; the server tells browsers the same. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final List<EventClient> servers;
  private final Duration pause;

  /**
   * @param servers clients of servers of one cluster, at least one
   */
  public EventFollower(List<EventClient> servers) {
    this(servers, PAUSE);
  }

  EventFollower(List<EventClient> servers, Duration pause) {
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("servers must have at least one element");
    }
    this.servers = List.copyOf(servers);
    this.pause = pause;
  }

  /**
   * Follows events until the thread is interrupted or the listener throws.
   *
   * @param cursor {@code null} for what happens from now on
   * @param listener receives each event at least once, and those of one task in their order
   * @param cursors receives each cursor with which following may go on later: that of each event
   *     that the listener has taken, and about every ten seconds one while nothing that is wanted
   *     happens. Keep those, too: a cursor is refused when it is older than the events that are
   *     kept
   * @throws FlowException if a server refuses the call for good, for example because the cursor is
   *     older than the events that are kept
   */
  public void follow(
      EventFilter filter, String cursor, Consumer<Event> listener, Consumer<String> cursors)
      throws InterruptedException {
    String last = cursor;
    for (int attempt = 0; ; attempt++) {
      EventClient server = servers.get(attempt % servers.size());
      last = followOnce(server, filter, last, listener, cursors);
      Thread.sleep(pause.toMillis());
    }
  }

  /** Follows one stream to its end, and returns the last cursor. */
  private static String followOnce(
      EventClient server,
      EventFilter filter,
      String cursor,
      Consumer<Event> listener,
      Consumer<String> cursors)
      throws InterruptedException {
    String last = cursor;
    try {
      if (last == null) {
        // A stream tells its first cursor late: if it broke before, what happened would be lost.
        last = server.list(filter, null, 1, Duration.ZERO).cursor();
      }
      try (EventStream<FollowedEvent> events = server.open(filter, last)) {
        for (FollowedEvent next = events.next(); next != null; next = events.next()) {
          if (next.event() != null) {
            listener.accept(next.event());
          }
          last = next.cursor();
          cursors.accept(last);
        }
      }
    } catch (FlowException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while following events");
      }
      if (!e.retryable()) {
        throw e;
      }
    }
    return last;
  }
}
