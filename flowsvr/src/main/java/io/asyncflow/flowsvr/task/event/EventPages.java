package io.asyncflow.flowsvr.task.event;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.springframework.stereotype.Component;

/**
 * Pages of events, in the order of their ids, up to stable: what lies behind a gap waits for the
 * gap, because a page is asked for once. Thread-safe.
 */
@Component
class EventPages {

  private static final int SCAN = 1_000;

  /** The most rows that one page looks through. */
  private static final int MAX_SCANS = 20;

  /** How long the tail may take to begin. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private final EventTail tail;
  private final EventStore store;
  private final EventThreads threads;
  private final Node node;

  EventPages(EventTail tail, EventStore store, EventThreads threads, Node node) {
    this.tail = tail;
    this.store = store;
    this.threads = threads;
    this.node = node;
  }

  /**
   * The next page.
   *
   * @param cursor an id; {@code null} for what comes from now on
   * @param wait how long to wait for an event if there is none
   * @return fails with {@link ErrorCode#UNAVAILABLE} if the database does not answer
   */
  CompletableFuture<EventPage> next(
      Long cursor, Predicate<Event> wanted, int limit, Duration wait) {
    Call call = new Call(cursor, wanted, limit, node.nanoTime() + wait.toNanos());
    tail.add(call);
    CompletableFuture<Void> patience = new CompletableFuture<>();
    patience.exceptionally(
        timeout -> {
          call.page.completeExceptionally(notReadable());
          return null;
        });
    call.page.whenComplete(
        (page, failure) -> {
          tail.remove(call);
          patience.complete(null); // otherwise its timer keeps the page
        });
    patience.orTimeout(wait.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
    return call.page;
  }

  private static FlowException notReadable() {
    return new FlowException(ErrorCode.UNAVAILABLE, "the log of events cannot be read now");
  }

  /** A page that is waited for. */
  private final class Call implements EventTail.Listener {

    private final CompletableFuture<EventPage> page = new CompletableFuture<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final Predicate<Event> wanted;
    private final int limit;
    private final long deadline;
    private final long roundsBefore = tail.roundsBegun();
    private Long cursor;

    Call(Long cursor, Predicate<Event> wanted, int limit, long deadline) {
      this.wanted = wanted;
      this.cursor = cursor;
      this.limit = limit;
      this.deadline = deadline;
    }

    /** A round that had begun before the call may have missed what was committed before it. */
    @Override
    public void advanced() {
      if (tail.roundsBegun() > roundsBefore && calls.getAndIncrement() == 0) {
        threads.execute(this::read);
      }
    }

    private void read() {
      int seen;
      do {
        seen = calls.get();
        try {
          readNext();
        } catch (RuntimeException e) {
          page.completeExceptionally(e);
        }
      } while (calls.addAndGet(-seen) != 0);
    }

    private void readNext() {
      if (page.isDone() || tail.stable().isEmpty()) {
        return;
      }
      long stable = tail.stable().getAsLong();
      if (cursor == null) {
        cursor = stable;
      }
      List<Event> found = find(stable);
      if (!found.isEmpty() || node.nanoTime() - deadline >= 0) {
        page.complete(new EventPage(found, cursor.toString()));
      }
    }

    /** Finds wanted events and moves the cursor over all that it has seen. */
    private List<Event> find(long stable) {
      List<Event> found = new ArrayList<>();
      for (int scans = 0; scans < MAX_SCANS && cursor < stable; scans++) {
        List<LoggedEvent> rows = store.page(cursor, stable, SCAN);
        for (LoggedEvent row : rows) {
          cursor = row.id();
          if (wanted.test(row.event())) {
            found.add(row.event());
            if (found.size() == limit) {
              return found;
            }
          }
        }
        if (rows.size() < SCAN) {
          cursor = stable;
        }
      }
      return found;
    }
  }
}
