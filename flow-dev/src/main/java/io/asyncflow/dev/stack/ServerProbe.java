package io.asyncflow.dev.stack;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Asks a starting flowsvr whether it is ready. Uses one HTTP client for all requests, because each
 * client has a thread that lives until the client is garbage-collected.
 */
public final class ServerProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpRequest request;

  /** Creates the client; sends no request yet. */
  public ServerProbe(URI url) {
    request =
        HttpRequest.newBuilder(url.resolve("/actuator/health/readiness")).timeout(PATIENCE).build();
  }

  public boolean isReady() {
    try {
      return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevException("Waiting for flowsvr was interrupted.", e);
    }
  }
}
