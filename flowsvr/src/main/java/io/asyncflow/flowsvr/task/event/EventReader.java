package io.asyncflow.flowsvr.task.event;

import io.asyncflow.flowsvr.task.event.RecentEvents.Position;
import io.asyncflow.flowsvr.task.event.RecentEvents.Slice;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads all events after a cursor: first from the database, up to where the tail is, and then what
 * the tail reads. If the tail begins anew, or is so far ahead that it has forgotten what comes
 * next, it reads from the database again, from its last cursor. Not thread-safe.
 */
public final class EventReader {

  private final RecentEvents recent;
  private final EventStore store;
  private Long cursor;
  private long begin;

  /** Where the tail was when the reader began to catch up; {@code null} before. */
  private Position target;

  private long readUpTo;
  private boolean isCaughtUp;
  private long nextNumber;

  EventReader(RecentEvents recent, EventStore store, Long cursor) {
    this.recent = recent;
    this.store = store;
    this.cursor = cursor;
  }

  /** The cursor after all that was read; empty before the first read of one that had none. */
  public Optional<Long> cursor() {
    return Optional.ofNullable(cursor);
  }

  /**
   * Reads the next events.
   *
   * @return empty if there are none at present
   */
  public List<ReadEvent> read(int limit) {
    if (target == null && !beginToCatchUp()) {
      return List.of();
    }
    if (!isCaughtUp) {
      List<ReadEvent> page = catchUp(limit);
      if (!page.isEmpty()) {
        return page;
      }
    }
    Optional<Slice> slice = recent.from(nextNumber, limit);
    if (slice.isEmpty()) {
      target = null;
      return beginToCatchUp() ? catchUp(limit) : List.of();
    }
    nextNumber += slice.get().events().size();
    List<ReadEvent> read = new ArrayList<>();
    for (ReadEvent event : slice.get().events()) {
      advanceTo(event.cursor());
      if (Long.parseLong(event.event().id()) > begin) {
        read.add(new ReadEvent(event.event(), cursor));
      }
    }
    if (slice.get().stable() != null) {
      advanceTo(slice.get().stable());
    }
    return read;
  }

  private boolean beginToCatchUp() {
    target = recent.position().orElse(null);
    if (target == null) {
      return false;
    }
    if (cursor == null) {
      cursor = target.stable();
    }
    begin = Math.max(begin, cursor);
    readUpTo = cursor;
    isCaughtUp = false;
    return true;
  }

  private List<ReadEvent> catchUp(int limit) {
    List<LoggedEvent> page =
        readUpTo < target.last() ? store.page(readUpTo, target.last(), limit) : List.of();
    List<ReadEvent> read = new ArrayList<>(page.size());
    for (LoggedEvent event : page) {
      advanceTo(Math.min(event.id(), target.stable()));
      read.add(new ReadEvent(event.event(), cursor));
      readUpTo = event.id();
    }
    if (page.size() < limit) {
      isCaughtUp = true;
      nextNumber = target.next();
      advanceTo(target.stable());
    }
    return read;
  }

  private void advanceTo(long newCursor) {
    cursor = Math.max(cursor, newCursor);
  }
}
