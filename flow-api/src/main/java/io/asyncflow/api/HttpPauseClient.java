package io.asyncflow.api;

import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.pause.PausePage;
import java.time.Instant;

/** The calls about pauses, over HTTP. */
final class HttpPauseClient implements PauseClient {

  private static final Answer<PausePage> PAUSES = Answer.of(PausePage.class);

  private final HttpTransport http;

  HttpPauseClient(HttpTransport http) {
    this.http = http;
  }

  private record Set(PauseKind kind, String name, Long until, String operator, String reason) {}

  private record Clear(PauseKind kind, String name, String operator, String reason) {}

  private record ListPauses(PauseKind kind, int limit, String cursor) {}

  @Override
  public void set(PauseKind kind, String name, Instant until, String operator, String reason) {
    Long untilMs = until == null ? null : until.toEpochMilli();
    http.post("/api/pause/set", new Set(kind, name, untilMs, operator, reason));
  }

  @Override
  public void clear(PauseKind kind, String name, String operator, String reason) {
    http.post("/api/pause/clear", new Clear(kind, name, operator, reason));
  }

  @Override
  public PausePage list(PauseKind kind, int limit, String cursor) {
    return http.post("/api/pause/list", new ListPauses(kind, limit, cursor), PAUSES);
  }
}
