package io.asyncflow.api.event;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls about events. Errors are those of {@link io.asyncflow.api.FlowClient}. Implementations
 * are thread-safe.
 */
public interface EventClient {

  /**
   * The events after a cursor, oldest first.
   *
   * @param cursor {@code null} for what happens from now on
   * @param limit 1 to 1,000
   * @param wait how long to wait for an event if there is none; at most 30 s
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#INVALID_INPUT} if
   *     the cursor is older than the events that are kept
   */
  EventPage list(EventFilter filter, String cursor, int limit, Duration wait);

  /**
   * Opens a stream of the events after a cursor.
   *
   * @param cursor {@code null} for what happens from now on
   * @throws io.asyncflow.api.FlowException as {@link #list}
   */
  EventConnection open(EventFilter filter, String cursor);

  /**
   * Follows the events after a cursor until the thread is interrupted, across broken connections
   * and restarts of the server; as {@link EventFollower} does with several servers.
   *
   * @param cursor {@code null} for what happens from now on
   * @param listener receives each event at least once
   * @param cursors receives each cursor with which following may go on later, also while nothing
   *     that is wanted happens: keep the last one
   */
  default void follow(
      EventFilter filter, String cursor, Consumer<Event> listener, Consumer<String> cursors)
      throws InterruptedException {
    new EventFollower(List.of(this)).follow(filter, cursor, listener, cursors);
  }
}
