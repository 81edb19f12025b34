package io.asyncflow.flowsvr.task.event;

import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The last events that the tail has read, in the order in which it read them, each with a number.
 * Thread-safe.
 */
final class RecentEvents {

  private static final int MOST = 10_000;

  /** The event with number n is at n % {@value #MOST}. */
  private final ReadEvent[] events = new ReadEvent[MOST];

  private long first;
  private long next;
  private Position position;

  /**
   * How far the tail has read.
   *
   * @param next the number of the next event
   * @param last the highest id that it has read
   * @param stable the id up to which nothing is missing
   */
  record Position(long next, long last, long stable) {}

  /**
   * Events that follow each other.
   *
   * @param stable the id up to which nothing is missing; {@code null} if more events follow
   */
  record Slice(List<ReadEvent> events, Long stable) {}

  /** How far the tail has read; empty while it does not read. */
  synchronized Optional<Position> position() {
    return Optional.ofNullable(position);
  }

  /**
   * Adds what a round has read.
   *
   * @param read in the order of the ids, so that after each of them nothing is missing up to it, or
   *     up to {@code stable} if that is lower
   */
  synchronized void add(List<LoggedEvent> read, long last, long stable) {
    for (LoggedEvent event : read) {
      events[(int) (next++ % MOST)] = new ReadEvent(event.event(), Math.min(event.id(), stable));
    }
    first = Math.max(first, next - MOST);
    position = new Position(next, last, stable);
  }

  /** Forgets all events: the tail stops, and does not read what comes now. */
  synchronized void clear() {
    Arrays.fill(events, null);
    first = ++next;
    position = null;
  }

  /** The events from a number on; empty if some of them are forgotten. */
  synchronized Optional<Slice> from(long number, int limit) {
    if (number < first || position == null) {
      return Optional.empty();
    }
    long end = Math.min(next, number + limit);
    List<ReadEvent> found = new ArrayList<>((int) (end - number));
    for (long each = number; each < end; each++) {
      found.add(events[(int) (each % MOST)]);
    }
    return Optional.of(new Slice(found, end == next ? (Long) position.stable() : null));
  }
}
