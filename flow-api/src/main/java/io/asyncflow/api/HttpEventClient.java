package io.asyncflow.api;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.IncomingEvents.Incoming;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.event.EventConnection;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.api.event.FollowedEvent;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** {@link EventClient} over HTTP. */
final class HttpEventClient implements EventClient {

  /** A kind of a later version must not end the stream. */
  private static final ObjectReader EVENT =
      WireJson.readerOf(Event.class).with(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);

  private static final Answer<EventPage> PAGE =
      Answer.of(EventPage.class).with(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);

  private final HttpTransport http;

  HttpEventClient(HttpTransport http) {
    this.http = http;
  }

  private record ListEvents(
      Set<String> taskTypes,
      Set<EventKind> kinds,
      String userId,
      String cursor,
      int limit,
      long waitMs) {}

  @Override
  public EventPage list(EventFilter filter, String cursor, int limit, Duration wait) {
    ListEvents body =
        new ListEvents(
            filter.taskTypes(), filter.kinds(), filter.userId(), cursor, limit, wait.toMillis());
    return http.post("/api/event/list", body, PAGE, wait);
  }

  @Override
  public EventConnection open(EventFilter filter, String cursor) {
    List<String> kinds = filter.kinds().stream().map(EventKind::name).sorted().toList();
    String query =
        parameter("taskTypes", String.join(",", new TreeSet<>(filter.taskTypes())))
            + parameter("kinds", String.join(",", kinds))
            + parameter("userId", filter.userId());
    String path = "/api/event/stream" + (query.isEmpty() ? "" : "?" + query.substring(1));
    return new Connection(http.events(path, cursor));
  }

  private static String parameter(String name, String value) {
    return value == null || value.isEmpty()
        ? ""
        : "&" + name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private record Connection(IncomingEvents incoming) implements EventConnection {

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
}
