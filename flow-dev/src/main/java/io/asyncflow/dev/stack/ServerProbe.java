package io.asyncflow.dev.stack;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.stream.StreamSupport;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Queries a starting flowsvr. Uses one HTTP client for all requests, because each client has a
 * thread that lives until the client is garbage-collected.
 */
final class ServerProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI url;
  private final String key;

  /**
   * Creates the client; sends no request yet.
   *
   * @param key the API key; null or empty for none
   */
  ServerProbe(URI url, String key) {
    this.url = url;
    this.key = key;
  }

  boolean isReady() {
    try {
      return get("/actuator/health/readiness").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The number of workers that started since then; 0 if the server does not answer.
   *
   * @param epochMs the moment by the database's clock, epoch ms
   */
  long workersSince(long epochMs) {
    try {
      JsonNode workers =
          JSON.readTree(get("/api/worker/list").body()).path("result").path("workerList");
      return StreamSupport.stream(workers.spliterator(), false)
          .filter(worker -> worker.path("firstBeat").asLong() >= epochMs)
          .count();
    } catch (IOException | JacksonException e) {
      return 0;
    }
  }

  private HttpResponse<String> get(String path) throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path)).timeout(PATIENCE);
    if (key != null && !key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevException("Waiting for flowsvr was interrupted.", e);
    }
  }
}
