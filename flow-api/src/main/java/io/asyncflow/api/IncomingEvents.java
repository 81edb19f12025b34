package io.asyncflow.api;

import java.io.IOException;
import java.time.Duration;

/** Reads server-sent events. flowsvr writes each field in one line. Not thread-safe. */
final class IncomingEvents {

  /** How long the stream may be silent; a server writes a line every ten seconds. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(25);

  private final IncomingLines lines;

  IncomingEvents(IncomingLines lines) {
    this.lines = lines;
  }

  /**
   * An event.
   *
   * @param id {@code null} for none
   * @param event its name; {@code null} for none
   * @param data {@code null} if the event only tells an id
   */
  record Incoming(String id, String event, String data) {}

  /** Waits for the next event; {@code null} at the end of the stream. */
  Incoming next() throws IOException, InterruptedException {
    String id = null;
    String event = null;
    String data = null;
    for (String line = lines.next(MAX_SILENCE); line != null; line = lines.next(MAX_SILENCE)) {
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

  /** Closes the connection. */
  void close() {
    lines.cancel();
  }
}
