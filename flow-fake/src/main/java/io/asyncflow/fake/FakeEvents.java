package io.asyncflow.fake;

import io.asyncflow.api.Call;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.api.event.FollowedEvent;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.field.EventFields;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.SentFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The events of tasks of a {@link FakeFlowServer}; those of jobs and schedules are not told. */
final class FakeEvents {

  private final FakeFlowServer server;
  private final List<Event> log = new ArrayList<>();

  FakeEvents(FakeFlowServer server) {
    this.server = server;
  }

  /**
   * Writes an event.
   *
   * @param level the {@code events} of the task's type; {@code null} for none
   * @param row after the event
   */
  synchronized void tell(Integer level, EventKind kind, TaskRow row, String errMsg) {
    if (level == null || level < (kind.isEnd() ? 1 : 2)) {
      return;
    }
    log.add(
        new Event(
            "" + (log.size() + 1),
            row.now(),
            kind,
            row.id().toString(),
            row.id().type().name(),
            row.stage(),
            row.userId(),
            row.status().code(),
            row.leaseEpoch(),
            row.crtRetryNum(),
            row.place() == null ? null : "" + row.place().jobId(),
            row.fire() == null ? null : "" + row.fire().scheduleId(),
            row.fire() == null ? null : row.fire().fireTime(),
            row.workerId().isEmpty() ? null : row.workerId(),
            errMsg,
            null));
    notifyAll();
  }

  void answer(FakeCalls calls) {
    calls
        .answer("/api/event/list", call -> list(calls.fieldsOf(call)))
        .answer("/api/event/stream", call -> open(calls.fieldsOf(call)));
  }

  private EventPage list(SentFields in) {
    EventFilter wanted = EventFields.filter(in);
    int position = position(in);
    int limit = PageFields.limit(in);
    int waitMs = EventFields.waitMs(in);
    requireGood(in, wanted);
    return page(wanted, position, limit, Duration.ofMillis(waitMs));
  }

  /** Without the monitor of the log, which the server takes within its own. */
  private void requireGood(SentFields in, EventFilter wanted) {
    in.refuseIfBad();
    wanted.taskTypes().forEach(server.types::named);
  }

  private synchronized EventPage page(EventFilter filter, int from, int limit, Duration wait) {
    long end = System.nanoTime() + wait.toNanos();
    int position = from;
    while (true) {
      List<Event> found = new ArrayList<>();
      while (position < log.size() && found.size() < limit) {
        Event next = log.get(position++);
        if (filter.matches(next)) {
          found.add(next);
        }
      }
      long left = end - System.nanoTime();
      if (!found.isEmpty() || left <= 0 || !await(left)) {
        return new EventPage(found, "" + position);
      }
    }
  }

  /** Waits for an event; false if the thread is interrupted, and stays so. */
  private boolean await(long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, 1_000_000));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized int position(SentFields in) {
    String lastEventId = in.text(Call.LAST_EVENT_ID).value();
    Long cursor = EventFields.cursor(in, lastEventId, 0, log.size());
    return cursor == null ? log.size() : cursor.intValue();
  }

  private EventStream<FollowedEvent> open(SentFields in) {
    EventFilter wanted = EventFields.filter(in);
    int position = position(in);
    requireGood(in, wanted);
    return new Connection(wanted, position);
  }

  /** Reads the log from a position on. */
  private final class Connection implements EventStream<FollowedEvent> {

    private final EventFilter filter;
    private int position;
    private boolean closed;

    Connection(EventFilter filter, int position) {
      this.filter = filter;
      this.position = position;
    }

    @Override
    public FollowedEvent next() throws InterruptedException {
      synchronized (FakeEvents.this) {
        while (!closed) {
          while (position < log.size()) {
            Event next = log.get(position++);
            if (filter.matches(next)) {
              return new FollowedEvent(next, "" + position);
            }
          }
          FakeEvents.this.wait();
        }
        return null;
      }
    }

    @Override
    public void close() {
      synchronized (FakeEvents.this) {
        closed = true;
        FakeEvents.this.notifyAll();
      }
    }
  }
}
