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
 * Asks a flowsvr that starts how far it is. One client for all questions, since each client has a
 * thread that lives until the collector finds the client.
 */
final class ServerProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI url;
  private final String key;

  /**
   * Makes the client; nothing is asked yet.
   *
   * @param key what flowsvr lets in; null or empty for none
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
   * How many workers have come since; 0 if the server does not say.
   *
   * @param epochMs on the database's clock
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
