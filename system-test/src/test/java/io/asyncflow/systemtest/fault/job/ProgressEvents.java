package io.asyncflow.systemtest.fault.job;

import io.asyncflow.api.JobProgress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.json.JsonMapper;

/** The progress of a job as a browser hears of it, read one event after the other. */
final class ProgressEvents implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpResponse<InputStream> response;
  private final BufferedReader lines;
  private String lastId;
  private boolean ended;

  private ProgressEvents(HttpResponse<InputStream> response, String lastId) {
    this.response = response;
    this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    this.lastId = lastId;
  }

  /**
   * Asks a server for them.
   *
   * @param lastId of the last event that was heard; {@code null} the first time
   */
  static ProgressEvents of(String jobId, int port, String lastId) throws IOException {
    URI url = URI.create("http://127.0.0.1:" + port + "/api/job/progress?jobId=" + jobId);
    HttpRequest.Builder request = HttpRequest.newBuilder(url);
    if (lastId != null) {
      request.header("Last-Event-ID", lastId);
    }
    try {
      return new ProgressEvents(
          HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofInputStream()), lastId);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  int status() {
    return response.statusCode();
  }

  String lastId() {
    return lastId;
  }

  /** Whether the event that was read last is the end. */
  boolean hasEnded() {
    return ended;
  }

  /**
   * The next event; {@code null} after the last.
   *
   * @throws IOException if the connection broke
   */
  JobProgress next() throws IOException {
    String data = null;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("id: ")) {
        lastId = line.substring("id: ".length());
      } else if (line.equals("event: end")) {
        ended = true;
      } else if (line.startsWith("data: ")) {
        data = line.substring("data: ".length());
      } else if (line.isEmpty() && data != null) {
        return JSON.readValue(data, JobProgress.class);
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    response.body().close();
  }
}
