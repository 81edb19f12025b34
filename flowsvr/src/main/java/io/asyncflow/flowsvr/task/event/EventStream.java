package io.asyncflow.flowsvr.task.event;

import static java.util.stream.Collectors.joining;

import io.asyncflow.api.event.Event;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.web.stream.ServerSentEvents;
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
 * streams, whenever the one before was written or has nothing that is wanted; so a slow client has
 * one page in memory. Streams take turns, a page each: however much one has to look through, the
 * others go on, and its client is told how far it is. A page that could not be read is read again
 * after the tail's next round. Thread-safe.
 */
final class EventStream extends ServerSentEvents implements EventTail.Listener {

  private static final Logger log = LoggerFactory.getLogger(EventStream.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int PAGE = 200;

  /** After so long without an event, also amid a search, the client is told the cursor alone. */
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
      threads.execute(this::readOn);
    }
  }

  /**
   * Reads one page, and queues up again if the next one is to be read, or for calls that came
   * meanwhile. Runs on one thread at a time.
   */
  private void readOn() {
    int seen = calls.get();
    boolean isMore = false;
    try {
      isMore = needsText() && readPage();
    } catch (RuntimeException e) {
      log.debug("events of a stream could not be read, trying again soon: {}", e.toString());
    }
    if (isMore || calls.addAndGet(-seen) != 0) {
      threads.execute(this::readOn);
    }
  }

  private synchronized boolean needsText() {
    return pending == null && !isOver();
  }

  /** Reads a page; returns whether nothing of it is told, so that the next one is needed. */
  private boolean readPage() {
    List<ReadEvent> page = reader.read(PAGE);
    String text =
        page.stream()
            .filter(read -> wanted.test(read.event()))
            .map(EventStream::textOf)
            .collect(joining());
    if (text.isEmpty() && node.nanoTime() - lastText >= BEAT) {
      text = reader.cursor().map(cursor -> ":\nid: " + cursor + "\n\n").orElse("");
    }
    if (text.isEmpty()) {
      return !page.isEmpty();
    }
    offer(text);
    write();
    return false;
  }

  private static String textOf(ReadEvent read) {
    return "id: %s\nevent: %s\ndata: %s\n\n"
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
