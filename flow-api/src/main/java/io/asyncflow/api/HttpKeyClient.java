package io.asyncflow.api;

import io.asyncflow.api.key.DeniedPage;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.key.KeyPage;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.Me;
import io.asyncflow.api.key.NewKey;
import java.time.Duration;
import java.util.Map;

/** The calls about access keys, over HTTP. */
final class HttpKeyClient implements KeyClient {

  private static final Answer<IssuedKey> ISSUED = Answer.of(IssuedKey.class);
  private static final Answer<KeyPage> KEYS = Answer.of(KeyPage.class);
  private static final Answer<DeniedPage> DENIED = Answer.of(DeniedPage.class);
  private static final Answer<Me> ME = Answer.of(Me.class);

  private final HttpTransport http;

  HttpKeyClient(HttpTransport http) {
    this.http = http;
  }

  private record ListKeys(KeyState state, Integer limit, String cursor) {}

  private record Rotate(String keyId, long overlapSeconds) {}

  private record Revoke(String keyId, String reason) {}

  private record Deny(String principal, long seconds, String reason) {}

  private record ListDenied(Integer limit, String cursor) {}

  @Override
  public IssuedKey create(NewKey key) {
    return http.post("/api/key/create", key, ISSUED);
  }

  @Override
  public KeyPage list(KeyState state, Integer limit, String cursor) {
    return http.post("/api/key/list", new ListKeys(state, limit, cursor), KEYS);
  }

  @Override
  public IssuedKey rotate(String keyId, Duration overlap) {
    return http.post("/api/key/rotate", new Rotate(keyId, overlap.toSeconds()), ISSUED);
  }

  @Override
  public void revoke(String keyId, String reason) {
    http.post("/api/key/revoke", new Revoke(keyId, reason));
  }

  @Override
  public void deny(String subject, Duration time, String reason) {
    http.post("/api/key/deny", new Deny(subject, time.plusNanos(999_999_999).toSeconds(), reason));
  }

  @Override
  public DeniedPage denied(Integer limit, String cursor) {
    return http.post("/api/key/denied", new ListDenied(limit, cursor), DENIED);
  }

  @Override
  public Me me() {
    return http.post("/api/key/me", Map.of(), ME);
  }
}
