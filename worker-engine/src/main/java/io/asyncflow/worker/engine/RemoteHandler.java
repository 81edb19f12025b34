package io.asyncflow.worker.engine;

import static java.net.http.HttpRequest.BodyPublishers.noBody;

import io.asyncflow.api.TraceParent;
import io.asyncflow.api.WholeAnswer;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeoutException;

/**
 * Runs a stage on a remote executor, an HTTP service of any language, as described in
 * docs/engines.md.
 *
 * <pre>{@code
 * RemoteHandler remote = RemoteHandler.builder(URI.create("https://render.example.com")).build();
 * Worker worker = Worker.builder().handler("video", "render", remote).build();
 * }</pre>
 *
 * <p>The executor is asked to begin a run under the {@linkplain StageContext#idempotencyKey() key}
 * of its hold, which a local retry extends by its number, and then for its result until it has one.
 * It is told to stop if the run is cancelled, exceeds its time, or loses its lease. The address is
 * a setting of the worker, so no task can name another. Thread-safe.
 */
public final class RemoteHandler implements StageHandler {

  private final HttpClient client;
  private final URI url;
  private final Map<String, String> headers;
  private final Duration exploreInterval;
  private final Duration requestTimeout;
  private final int longestAnswer;

  private RemoteHandler(Builder builder) {
    url = builder.url;
    headers = Map.copyOf(builder.headers);
    exploreInterval = builder.exploreInterval;
    requestTimeout = builder.requestTimeout;
    longestAnswer = builder.longestAnswer;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(requestTimeout)
            .build();
  }

  /**
   * @param url the executor's address, http or https; a run is below it, at {@code runs/{id}}
   */
  public static Builder builder(URI url) {
    return new Builder(url);
  }

  @Override
  public StageResult handle(StageContext context) throws Exception {
    return new RemoteRun(this, context).await();
  }

  Duration exploreInterval() {
    return exploreInterval;
  }

  /** The executor's answer to a request. */
  record Answer(int status, String body) {}

  /**
   * Sends a request about a run and waits for the answer.
   *
   * @param traceParent of the run
   * @throws IOException if there is no whole answer in time
   */
  Answer exchange(String method, String runId, BodyPublisher body, Optional<String> traceParent)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(method, runId, body);
    traceParent.ifPresent(parent -> request.setHeader(TraceParent.HEADER, parent));
    CompletableFuture<WholeAnswer> answer =
        WholeAnswer.to(
            request.build(), client, () -> new BoundedBody(longestAnswer), requestTimeout);
    try {
      WholeAnswer whole = answer.get();
      return new Answer(whole.status(), new String(whole.body(), StandardCharsets.UTF_8));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof TimeoutException
          ? new IOException("no answer within " + requestTimeout.toMillis() + " ms", e)
          : new IOException(String.valueOf(e.getCause()), e);
    } finally {
      answer.cancel(true);
    }
  }

  /** Tells the executor to stop a run, without waiting for the answer, which changes nothing. */
  void delete(String runId) {
    client.sendAsync(request("DELETE", runId, noBody()).build(), BodyHandlers.discarding());
  }

  private HttpRequest.Builder request(String method, String runId, BodyPublisher body) {
    String base = url + (url.toString().endsWith("/") ? "" : "/");
    String name = URLEncoder.encode(runId, StandardCharsets.UTF_8).replace("+", "%20");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + "runs/" + name))
            .timeout(requestTimeout)
            .method(method, body)
            .setHeader("Content-Type", "application/json");
    headers.forEach(request::setHeader);
    return request;
  }

  @Override
  public String toString() {
    return "executor " + url;
  }

  /** The body of an answer, which fails if it is too long. */
  private static final class BoundedBody implements BodySubscriber<byte[]> {

    private final int longest;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Subscription subscription;

    BoundedBody(int longest) {
      this.longest = longest;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Subscription value) {
      subscription = value;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        if (received.size() + part.remaining() > longest) {
          subscription.cancel();
          body.completeExceptionally(
              new IOException("an answer of more than " + longest + " bytes"));
          return;
        }
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        received.writeBytes(bytes);
      }
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      body.complete(received.toByteArray());
    }
  }

  /** Builds a handler; everything but the address has a default. Not thread-safe. */
  public static final class Builder {

    private final URI url;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private Duration exploreInterval = Duration.ofSeconds(1);
    private Duration requestTimeout = Duration.ofSeconds(10);
    private int longestAnswer = 16 << 20;

    private Builder(URI url) {
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (!isHttp || url.getHost() == null || url.getQuery() != null || url.getFragment() != null) {
        throw new IllegalArgumentException("an executor has an http or https address, not " + url);
      }
      this.url = url;
    }

    /** Adds a header to each request, such as {@code Authorization}. */
    public Builder header(String name, String value) {
      headers.put(name, Objects.requireNonNull(value, name));
      return this;
    }

    /** Sets the time between two questions for the result of a run, a second by default. */
    public Builder exploreInterval(Duration value) {
      exploreInterval = positive("exploreInterval", value);
      return this;
    }

    /** Sets how long the executor may take to answer a request, ten seconds by default. */
    public Builder requestTimeout(Duration value) {
      requestTimeout = positive("requestTimeout", value);
      return this;
    }

    /** Sets the longest answer in bytes, 16 MiB by default. */
    public Builder longestAnswer(int bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("longestAnswer must be at least 1");
      }
      longestAnswer = bytes;
      return this;
    }

    public RemoteHandler build() {
      return new RemoteHandler(this);
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + " must be longer than 0");
      }
      return value;
    }
  }
}
