package io.asyncflow.flowsvr.wire;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to a server as curl does: no typed client, every byte of the contract in sight. */
public final class Wire {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String baseUrl;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public Wire(int port) {
    this.baseUrl = "http://127.0.0.1:" + port;
  }

  /** An answer, with its body read as JSON. */
  public record Answer(int status, JsonNode body, HttpResponse<String> http) {

    public int code() {
      return body.path("code").asInt(-1);
    }

    public String msg() {
      return body.path("msg").asString("");
    }

    public JsonNode result() {
      return body.path("result");
    }

    public String header(String name) {
      return http.headers().firstValue(name).orElse(null);
    }

    /** The paths of the bad fields. */
    public java.util.List<String> badFields() {
      return body.path("errors").valueStream().map(e -> e.path("field").asString()).toList();
    }
  }

  public Answer get(String pathAndQuery) {
    return send(request(pathAndQuery).GET());
  }

  /** POST without a body. */
  public Answer post(String pathAndQuery) {
    return send(request(pathAndQuery).POST(BodyPublishers.noBody()));
  }

  /** POST of JSON; single quotes stand for double ones, as long as no text has any. */
  public Answer post(String path, String json) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  public Answer postForm(String path, Map<String, String> fields) {
    return send(
        request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form(fields))));
  }

  public HttpRequest.Builder request(String pathAndQuery) {
    return HttpRequest.newBuilder(URI.create(baseUrl + pathAndQuery))
        .timeout(Duration.ofSeconds(40));
  }

  public Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer =
          http.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
      JsonNode body = answer.body().isEmpty() ? null : JSON.readTree(answer.body());
      return new Answer(answer.statusCode(), body, answer);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(
            field ->
                URLEncoder.encode(field.getKey(), StandardCharsets.UTF_8)
                    + "="
                    + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }
}
