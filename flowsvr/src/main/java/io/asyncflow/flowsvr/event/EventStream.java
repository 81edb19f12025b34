package io.asyncflow.flowsvr.event;

import io.asyncflow.api.event.Event;
import io.asyncflow.flowsvr.event.tail.EventReader;
import io.asyncflow.flowsvr.event.tail.EventTail;
import io.asyncflow.flowsvr.event.tail.ReadEvent;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.web.stream.ServerSentEvents;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stream of events to one client. It reads a page, on a thread that it shares with other
 * streams, whenever the one before was written; so a slow client has one page in memory. A page
 * that could not be read is read again after the tail's next round. Thread-safe.
 */
final class EventStream extends ServerSentEvents implements EventTail.Listener {

  private static final Logger log = LoggerFactory.getLogger(EventStream.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int PAGE = 200;

  /** After so long without an event the client is told the cursor alone. */
  private static final long BEAT = Duration.ofSeconds(10).toNanos();

  private final Predicate<Event> wanted;
  private final EventReader reader;
  private final Executor threads;
  private final Node node;
  private final AtomicInteger calls = new AtomicInteger();
  private String pending;
  private long lastText;

  EventStream(
      AsyncContext request,
      ServletOutputStream out,
      Runnable whenGone,
      Predicate<Event> wanted,
      EventReader reader,
      Executor threads,
      Node node) {
    super(request, out, whenGone);
    this.wanted = wanted;
    this.reader = reader;
    this.threads = threads;
    this.node = node;
    this.lastText = node.nanoTime();
  }

  @Override
  public void advanced() {
    if (calls.getAndIncrement() == 0) {
      threads.execute(this::readAndWrite);
    }
  }

  /** Runs on one thread at a time, and again for calls that came meanwhile. */
  private void readAndWrite() {
    int seen;
    do {
      seen = calls.get();
      try {
        while (isWritten() && readPage()) {
          write();
        }
      } catch (RuntimeException e) {
        log.debug("events of a stream could not be read, trying again soon: {}", e.toString());
      }
    } while (calls.addAndGet(-seen) != 0);
  }

  private synchronized boolean isWritten() {
    return pending == null;
  }

  /** Reads pages until one has something to tell; false if there is nothing at present. */
  private boolean readPage() {
    List<ReadEvent> page;
    do {
      page = reader.read(PAGE);
      StringBuilder text = new StringBuilder();
      page.stream()
          .filter(read -> wanted.test(read.event()))
          .forEach(read -> text.append(textOf(read)));
      if (!text.isEmpty()) {
        offer(text.toString());
        return true;
      }
    } while (!page.isEmpty());
    if (node.nanoTime() - lastText >= BEAT && reader.cursor().isPresent()) {
      offer(":\nid: " + reader.cursor().get() + "\n\n");
      return true;
    }
    return false;
  }

  private static String textOf(ReadEvent read) {
    return "id: %d\nevent: %s\ndata: %s\n\n"
        .formatted(
            read.cursor(),
            read.event().kind() == null ? "OTHER" : read.event().kind(),
            JSON.writeValueAsString(read.event()));
  }

  private synchronized void offer(String text) {
    pending = text;
    lastText = node.nanoTime();
  }

  @Override
  protected synchronized String take() {
    String next = pending;
    pending = null;
    if (next != null) {
      advanced(); // what follows is read while this is sent
    }
    return next;
  }
}
