package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.key.DeniedPage;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.key.KeyPage;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.Me;
import io.asyncflow.api.key.NewKey;
import java.time.Duration;
import java.util.Map;

/** The calls about access keys, over the connections of an {@link HttpFlowClient}. */
final class HttpKeyClient implements KeyClient {

  private static final ObjectReader ISSUED = HttpFlowClient.envelopeOf(IssuedKey.class);
  private static final ObjectReader KEYS = HttpFlowClient.envelopeOf(KeyPage.class);
  private static final ObjectReader DENIED = HttpFlowClient.envelopeOf(DeniedPage.class);
  private static final ObjectReader ME = HttpFlowClient.envelopeOf(Me.class);

  private final HttpFlowClient http;

  HttpKeyClient(HttpFlowClient http) {
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
    http.postWithoutResult("/api/key/revoke", new Revoke(keyId, reason));
  }

  @Override
  public void deny(String subject, Duration time, String reason) {
    http.postWithoutResult(
        "/api/key/deny", new Deny(subject, time.plusNanos(999_999_999).toSeconds(), reason));
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
