package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.IncomingEvents.Incoming;
import java.io.IOException;

/** The events of a job over HTTP. */
final class HttpJobEvents implements JobEvents {

  private static final ObjectReader PROGRESS = WireJson.readerOf(JobProgress.class);

  private final IncomingEvents events;

  HttpJobEvents(IncomingEvents events) {
    this.events = events;
  }

  @Override
  public JobEvent next() throws InterruptedException {
    try {
      for (Incoming next = events.next(); next != null; next = events.next()) {
        if (next.data() != null) {
          return new JobEvent(
              next.id(), "end".equals(next.event()), PROGRESS.readValue(next.data()));
        }
      }
      return null;
    } catch (IOException e) {
      throw new FlowUnreachableException("the progress of the job broke off: " + e, e);
    }
  }

  @Override
  public void close() {
    events.close();
  }
}
