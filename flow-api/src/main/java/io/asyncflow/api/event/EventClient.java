package io.asyncflow.api.event;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.Transport;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The calls about events. Errors are those of {@link io.asyncflow.api.FlowClient}. Thread-safe.
 *
 * @param transport sends the calls
 */
public record EventClient(Transport transport) {

  /** A kind of a later version must not end the list. */
  private static final Answer<EventPage> PAGE = Answer.ofAnyVersion(EventPage.class);

  /**
   * The events after a cursor, oldest first.
   *
   * @param cursor {@code null} for what happens from now on
   * @param limit 1 to 1,000
   * @param wait how long to wait for an event if there is none; at most 30 s
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#INVALID_INPUT} if
   *     the cursor is older than the events that are kept
   */
  public EventPage list(EventFilter filter, String cursor, int limit, Duration wait) {
    return transport.send(
        filtered(Call.to("/api/event/list", PAGE), filter)
            .with("cursor", cursor)
            .with("limit", limit)
            .with("waitMs", wait.toMillis())
            .waiting(wait));
  }

  /**
   * Opens a stream of the events after a cursor.
   *
   * @param cursor {@code null} for what happens from now on
   * @throws io.asyncflow.api.FlowException as {@link #list}
   */
  public EventStream<FollowedEvent> open(EventFilter filter, String cursor) {
    return transport.send(
        filtered(Call.to("/api/event/stream", Answer.EVENTS), filter)
            .with(Call.LAST_EVENT_ID, cursor));
  }

  /**
   * Follows the events after a cursor until the thread is interrupted, across broken connections
   * and restarts of the server; as {@link EventFollower} does with several servers.
   *
   * @param cursor {@code null} for what happens from now on
   * @param listener receives each event at least once
   * @param cursors receives each cursor with which following may go on later, also while nothing
   *     that is wanted happens: keep the last one
   */
  public void follow(
      EventFilter filter, String cursor, Consumer<Event> listener, Consumer<String> cursors)
      throws InterruptedException {
    new EventFollower(List.of(this)).follow(filter, cursor, listener, cursors);
  }

  private static <T> Call<T> filtered(Call<T> call, EventFilter filter) {
    return call.with("taskTypes", new TreeSet<>(filter.taskTypes()))
        .with("kinds", new TreeSet<>(filter.kinds()))
        .with("userId", filter.userId());
  }
}
