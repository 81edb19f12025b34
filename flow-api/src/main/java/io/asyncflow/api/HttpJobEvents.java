package io.asyncflow.api;

import java.io.IOException;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** Reads server-sent events. flowsvr writes each field in one line. */
final class HttpJobEvents implements JobEvents {

  /** How long the stream may be silent; a server writes a line every ten seconds. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(25);

  private static final ObjectReader PROGRESS =
      JsonMapper.builder().build().readerFor(JobProgress.class);

  private final IncomingLines lines;

  HttpJobEvents(IncomingLines lines) {
    this.lines = lines;
  }

  @Override
  public JobEvent next() throws InterruptedException {
    try {
      return read();
    } catch (IOException | JacksonException e) {
      throw new FlowUnreachableException("the progress of the job broke off: " + e, e);
    }
  }

  private JobEvent read() throws IOException, InterruptedException {
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
      } else if (line.isEmpty() && data != null) {
        return new JobEvent(id, "end".equals(event), PROGRESS.readValue(data));
      }
    }
    return null;
  }

  @Override
  public void close() {
    lines.cancel();
  }
}
