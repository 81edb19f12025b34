package io.asyncflow.systemtest.cluster;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.host.LoopbackPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A flowsvr process. */
public final class ServerNode extends Node {

  private static final Duration PROBE_PATIENCE = Duration.ofSeconds(5);

  private final ServerPlan plan;
  private final HttpClient http = HttpClient.newHttpClient();

  ServerNode(ServerPlan plan, Program program) {
    super(program);
    this.plan = plan;
  }

  public URI url() {
    return URI.create("http://" + LoopbackPort.HOST + ":" + plan.port());
  }

  public int port() {
    return plan.port();
  }

  /** As {@code -Xmx} takes it. */
  public String heap() {
    return plan.heap();
  }

  /** A client of this server that keeps no record. */
  public HttpFlowClient client() {
    return new HttpFlowClient(url(), null);
  }

  /** The HTTP status of an address of this server; -1 without an answer. */
  public int statusOf(String path) {
    HttpRequest probe = HttpRequest.newBuilder(url().resolve(path)).timeout(PROBE_PATIENCE).build();
    try {
      return http.send(probe, BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking " + name(), e);
    }
  }

  /** What it answers to a call whose parameters stand in its query. */
  public String get(String pathAndQuery) {
    return answer(HttpRequest.newBuilder(url().resolve(pathAndQuery)));
  }

  /** What it answers to a call whose parameters stand in its query. */
  public String post(String pathAndQuery) {
    return answer(
        HttpRequest.newBuilder(url().resolve(pathAndQuery)).POST(BodyPublishers.noBody()));
  }

  private String answer(HttpRequest.Builder request) {
    try {
      return http.send(request.timeout(PROBE_PATIENCE).build(), BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(name() + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking " + name(), e);
    }
  }

  /** Whether it says that it is ready. */
  @Override
  public boolean isReady() {
    return statusOf("/actuator/health/readiness") == 200;
  }
}
