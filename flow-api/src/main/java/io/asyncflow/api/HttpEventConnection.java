package io.asyncflow.api;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.IncomingEvents.Incoming;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventConnection;
import io.asyncflow.api.event.FollowedEvent;
import java.io.IOException;

/** The events of tasks, jobs and schedules over HTTP. */
record HttpEventConnection(IncomingEvents incoming) implements EventConnection {

  /** A kind of a later version must not end the stream. */
  private static final ObjectReader EVENT =
      WireJson.readerOf(Event.class).with(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);

  @Override
  public FollowedEvent next() throws InterruptedException {
    try {
      Incoming next = incoming.next();
      if (next == null) {
        return null;
      }
      return new FollowedEvent(
          next.data() == null ? null : EVENT.<Event>readValue(next.data()), next.id());
    } catch (IOException e) {
      throw new FlowUnreachableException("the stream of events broke off: " + e, e);
    }
  }

  @Override
  public void close() {
    incoming.close();
  }
}
