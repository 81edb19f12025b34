package io.asyncflow.api;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Reads server-sent events. flowsvr writes each field in one line. Not thread-safe. */
final class IncomingEvents<E> implements EventStream<E> {

  /** How long the stream may be silent; a server writes a line every ten seconds. */
  static final Duration MAX_SILENCE = Duration.ofSeconds(25);

  private final IncomingBytes bytes;
  private final BufferedReader lines;
  private final String name;
  private final Reading<E> reading;

  /**
   * @param name what breaks off if the connection does
   */
  IncomingEvents(IncomingBytes bytes, String name, Reading<E> reading) {
    this.bytes = bytes;
    this.name = name;
    this.reading = reading;
    this.lines = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
  }

  /**
   * An event.
   *
   * @param id {@code null} for none
   * @param event its name; {@code null} for none
   * @param data {@code null} if the event only tells an id
   */
  record Incoming(String id, String event, String data) {}

  /** Reads an event; {@code null} for one that tells nothing. */
  interface Reading<E> {
    E of(Incoming event) throws IOException;
  }

  @Override
  public E next() throws InterruptedException {
    try {
      E event = null;
      while (event == null) {
        Incoming next = arrived();
        if (next == null) {
          return null;
        }
        event = reading.of(next);
      }
      return event;
    } catch (IOException e) {
      throw new FlowUnreachableException(name + " broke off: " + e, e);
    }
  }

  /**
   * Waits for the next event; {@code null} at the end of the stream. An interrupt ends the stream
   * before it, also if it has arrived.
   */
  private Incoming arrived() throws IOException, InterruptedException {
    if (Thread.interrupted()) { // a read sees that only where it waits
      close();
      throw new InterruptedException("the thread was interrupted");
    }
    String id = null;
    String event = null;
    String data = null;
    for (String line = nextLine(); line != null; line = nextLine()) {
      if (line.startsWith("id: ")) {
        id = line.substring("id: ".length());
      } else if (line.startsWith("event: ")) {
        event = line.substring("event: ".length());
      } else if (line.startsWith("data: ")) {
        data = line.substring("data: ".length());
      } else if (line.isEmpty() && (id != null || data != null)) {
        return new Incoming(id, event, data);
      }
    }
    return null;
  }

  private String nextLine() throws IOException, InterruptedException {
    try {
      return lines.readLine();
    } catch (InterruptedIOException e) {
      Thread.interrupted();
      throw new InterruptedException(e.getMessage());
    }
  }

  @Override
  public void close() {
    bytes.close(); // not the reader, whose lock a read in another thread would have
  }
}
