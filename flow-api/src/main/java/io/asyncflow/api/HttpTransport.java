package io.asyncflow.api;

import io.asyncflow.api.Answer.Enveloped;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * Sends calls to a server over HTTP/1.1, each with a key and in a trace, and reads their answers.
 *
 * <p>Thread-safe; connections are pooled.
 */
final class HttpTransport implements Transport {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

  private static final String AUTHORIZATION = "Authorization";

  private static final String EVENT_STREAM = "text/event-stream";

  private final ServerUrl server;
  private final Supplier<String> apiKey;
  private final Supplier<String> traceParents;
  private final ClearTextKeys clearText;
  private final Outages outages;
  private final Duration requestTimeout;
  private final SSLContext tls;
  private final HttpClient http;
  private final ExecutorService answers;
  private HttpClient transfers;

  /**
   * @param apiKey {@code null} or empty for none
   * @param requestTimeout how long an answer may take unless a call says otherwise
   * @param tls for https URLs; {@code null} for Java's own
   * @throws IllegalArgumentException if no header can carry the key
   */
  HttpTransport(ServerUrl server, String apiKey, Duration requestTimeout, SSLContext tls) {
    this.server = server;
    this.apiKey = always(apiKey);
    this.traceParents = () -> null;
    this.clearText = ClearTextKeys.sentTo(server.uri());
    this.outages = new Outages(server, CONNECT_TIMEOUT);
    if (hasKey()) {
      clearText.warn();
    }
    this.requestTimeout = Objects.requireNonNull(requestTimeout, "requestTimeout");
    this.tls = tls;
    HttpClient.Builder builder = connections();
    if (!server.isHttps()) {
      // The thread that reads the sockets also assembles the answers: IncomingBytes never
      // blocks it, and no other thread has to be woken. With TLS the client
      // keeps its own threads, which decrypt.
      builder.executor(Runnable::run);
    }
    this.http = builder.build();
    this.answers = Executors.newCachedThreadPool(HttpTransport::newThread);
  }

  private static Thread newThread(Runnable work) {
    Thread thread = new Thread(work, "asyncflow-answers");
    thread.setDaemon(true);
    return thread;
  }

  private HttpTransport(
      HttpTransport other, Supplier<String> apiKey, Supplier<String> traceParents) {
    this.server = other.server;
    this.apiKey = apiKey;
    this.traceParents = traceParents;
    this.clearText = other.clearText;
    this.outages = other.outages;
    this.requestTimeout = other.requestTimeout;
    this.tls = other.tls;
    this.http = other.http;
    this.answers = other.answers;
  }

  /**
   * @param keys asked before each call
   */
  HttpTransport withKeyFrom(Supplier<String> keys) {
    return new HttpTransport(this, keys, traceParents);
  }

  /**
   * @param source asked before each call, on the thread that makes it
   */
  HttpTransport withTraceParentFrom(Supplier<String> source) {
    return new HttpTransport(this, apiKey, source);
  }

  private static Supplier<String> always(String apiKey) {
    if (apiKey == null || apiKey.isEmpty()) {
      return () -> null;
    }
    String checked = checkedKey("apiKey", apiKey);
    return () -> checked;
  }

  private static String checkedKey(String name, String apiKey) {
    try {
      return checkApiKey(apiKey);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + " must be " + e.getMessage(), e);
    }
  }

  /** As {@link HttpFlowClient#checkApiKey}. */
  static String checkApiKey(String apiKey) {
    if (!apiKey.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException("printable ASCII characters without white space");
    }
    return apiKey;
  }

  private HttpClient.Builder connections() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    return tls == null ? builder : builder.sslContext(tls);
  }

  /**
   * The client for objects of any size, and for calls without waiting. It has threads of its own,
   * so that the thread that reads the sockets of all other calls never waits for a disk.
   */
  private synchronized HttpClient transfers() {
    if (transfers == null) {
      transfers = connections().executor(answers).build();
    }
    return transfers;
  }

  @Override
  public <T> T send(Call<T> call) {
    return call.answer().receive(this, call);
  }

  /** Makes a call that is answered in an envelope, and waits for the answer. */
  <T> T exchange(Call<T> call, Enveloped<T> answer) {
    Duration limit = requestTimeout.plus(call.extraWait());
    return withKey(key -> exchange(http, call.path(), request(call, key, limit), answer, limit));
  }

  /**
   * By the client that has threads of its own, because what the caller does with the answer must
   * not stop the thread that reads the sockets. Its answers go on in these, and not in the common
   * pool, which may have one thread, and the application may block it. Only a stream takes a thread
   * while it is opened.
   */
  @Override
  public <T> CompletableFuture<T> sendAsync(Call<T> call) {
    if (!(call.answer() instanceof Enveloped<T> answer)) {
      return Transport.super.sendAsync(call);
    }
    String key;
    try {
      key = key();
    } catch (FlowException e) {
      return CompletableFuture.failedFuture(e);
    }
    Duration limit = requestTimeout.plus(call.extraWait());
    HttpRequest request = request(call, key, limit);
    return sendAsync(call.path(), request, answer, limit)
        .exceptionallyCompose(
            failure -> {
              String other = isRefusedKey(unwrapped(failure)) ? key() : key;
              return Objects.equals(other, key)
                  ? CompletableFuture.failedFuture(failure)
                  : sendAsync(call.path(), withKey(request, other), answer, limit);
            });
  }

  /** A request for a thread that is not the caller's and knows no trace: it keeps its own. */
  private HttpRequest withKey(HttpRequest request, String key) {
    HttpRequest.Builder copy =
        HttpRequest.newBuilder(request, (name, value) -> !name.equalsIgnoreCase(AUTHORIZATION));
    authorize(copy, key);
    return copy.build();
  }

  private <T> CompletableFuture<T> sendAsync(
      String path, HttpRequest request, Enveloped<T> answer, Duration limit) {
    return WholeAnswer.to(request, transfers(), BodySubscribers::ofByteArray, limit)
        .handleAsync(
            (whole, failure) -> {
              if (failure != null) {
                throw outages.broken(path, limit, asOfExchange(failure));
              }
              return read(whole.body(), path, whole.status(), answer);
            },
            answers);
  }

  /** The failure of a call without waiting as the exception of one that waits. */
  private static IOException asOfExchange(Throwable failure) {
    Throwable cause = unwrapped(failure);
    if (cause instanceof TimeoutException) {
      return new HttpTimeoutException("the answer is not complete");
    }
    return cause instanceof IOException io ? io : new IOException(cause.toString(), cause);
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  /** A text without an envelope, as a stream: it may take any time, but not be silent. */
  InputStream open(Call<?> call) {
    return withKey(
        key -> bare(http, call.path(), request(call, key, requestTimeout), "text/plain"));
  }

  /** As {@link #open}, for bytes of any size. */
  InputStream download(String path) {
    return withKey(
        key ->
            bare(
                transfers(),
                path,
                request(path, key, requestTimeout).GET().build(),
                "application/octet-stream"));
  }

  /** Sends a body of any size that is not JSON; the answer has no result. */
  void upload(String path, UnaryOperator<HttpRequest.Builder> body, Duration extraWait) {
    Duration limit = requestTimeout.plus(extraWait);
    withKey(
        key -> {
          HttpRequest request = body.apply(request(path, key, limit)).build();
          return exchange(transfers(), path, request, Answer.NOTHING, limit);
        });
  }

  /** Server-sent events; a stream that is silent for longer than a live server breaks off. */
  IncomingBytes events(Call<?> call) {
    String path = call.path() + queryOf(call);
    return withKey(key -> events(path, key, (String) call.fields().get(Call.LAST_EVENT_ID)));
  }

  /** The fields as parameters, but for the one that is a header. */
  private static String queryOf(Call<?> call) {
    StringBuilder query = new StringBuilder();
    call.fields()
        .forEach(
            (name, value) -> {
              String text = value instanceof Collection<?> all ? joined(all) : value.toString();
              if (!name.equals(Call.LAST_EVENT_ID) && !text.isEmpty()) {
                query.append(query.isEmpty() ? '?' : '&').append(name).append('=');
                query.append(URLEncoder.encode(text, StandardCharsets.UTF_8));
              }
            });
    return query.toString();
  }

  private static String joined(Collection<?> values) {
    return values.stream().map(Object::toString).sorted().collect(Collectors.joining(","));
  }

  private IncomingBytes events(String path, String key, String lastEventId) {
    HttpRequest.Builder request =
        request(path, key, requestTimeout).setHeader("Accept", EVENT_STREAM);
    if (lastEventId != null) {
      request.header("Last-Event-ID", lastEventId);
    }
    // 204 is the answer after the last event, which an empty stream tells as well.
    HttpResponse<IncomingBytes> response =
        opened(http, path, request.build(), IncomingEvents.MAX_SILENCE, Set.of(200, 204));
    if (response.statusCode() == 200) {
      requireOfFlowsvr(response, path, isOfType(response.headers(), EVENT_STREAM));
    }
    return response.body();
  }

  /** A body without an envelope. */
  private InputStream bare(
      HttpClient client, String path, HttpRequest request, String contentType) {
    HttpResponse<IncomingBytes> response =
        opened(client, path, request, requestTimeout, Set.of(200));
    HttpHeaders headers = response.headers();
    requireOfFlowsvr(
        response,
        path,
        isOfType(headers, contentType)
            && headers.firstValue(BareAnswer.TRACE_ID).isPresent()
            && headers.firstValue(BareAnswer.BYTES).orElse("0").matches("\\d{1,18}"));
    headers.firstValueAsLong(BareAnswer.BYTES).ifPresent(response.body()::expect);
    return response.body();
  }

  private static boolean isOfType(HttpHeaders headers, String contentType) {
    return headers.firstValue("Content-Type").orElse("").startsWith(contentType);
  }

  /** A page of a proxy is none, whatever its status. */
  private void requireOfFlowsvr(
      HttpResponse<IncomingBytes> response, String path, boolean isOfFlowsvr) {
    if (!isOfFlowsvr) {
      response.body().close();
      throw outages.notFlowsvr(path, response.statusCode(), null);
    }
  }

  /**
   * @param silence how long a body that is expected may be silent
   * @param expected the statuses of answers that are no refusal
   */
  private HttpResponse<IncomingBytes> opened(
      HttpClient client,
      String path,
      HttpRequest request,
      Duration silence,
      Set<Integer> expected) {
    return answered(
        path,
        requestTimeout,
        () -> {
          HttpResponse<IncomingBytes> response =
              client.send(
                  request,
                  info ->
                      new IncomingBytes(
                          expected.contains(info.statusCode()) ? silence : requestTimeout));
          if (expected.contains(response.statusCode())) {
            return response;
          }
          try (InputStream refusal = response.body()) {
            read(refusal.readAllBytes(), path, response.statusCode(), Answer.NOTHING);
          }
          throw outages.notFlowsvr(path, response.statusCode(), null);
        });
  }

  /** The whole exchange within {@code limit}. */
  private <T> T exchange(
      HttpClient client, String path, HttpRequest request, Enveloped<T> answer, Duration limit) {
    return answered(
        path,
        limit,
        () -> {
          long begin = System.nanoTime();
          // Not sendAsync: on one or two processors that starts a thread for each answer.
          HttpResponse<IncomingBytes> response =
              client.send(request, info -> new IncomingBytes(limit));
          byte[] body = response.body().within(limit.toNanos() - (System.nanoTime() - begin));
          return read(body, path, response.statusCode(), answer);
        });
  }

  private interface Exchange<T> {
    T run() throws IOException, InterruptedException;
  }

  private <T> T answered(String path, Duration limit, Exchange<T> exchange) {
    try {
      return exchange.run();
    } catch (IOException e) {
      throw outages.broken(path, limit, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw outages.interrupted(path, e);
    }
  }

  private <T> T read(byte[] body, String path, int status, Enveloped<T> answer) {
    try {
      return answer.read(body, path, status, outages);
    } catch (FlowException e) {
      if (e.errorCode() != ErrorCode.NOT_AUTHENTICATED) {
        throw e;
      }
      throw new FlowException(
          e.errorCode(), e.getMessage() + keyThatThisClientHas(), e.errors(), null);
    }
  }

  private HttpRequest request(Call<?> call, String key, Duration limit) {
    return request(call.path(), key, limit)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(WireJson.bytesOf(call)))
        .build();
  }

  private HttpRequest.Builder request(String path, String key, Duration limit) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.at(path)).timeout(limit).header("Accept", "application/json");
    authorize(request, key);
    TraceParent.parse(traceParents.get())
        .ifPresent(parent -> request.header(TraceParent.HEADER, parent.text()));
    return request;
  }

  private void authorize(HttpRequest.Builder request, String key) {
    if (key != null) {
      clearText.warn();
      request.header(AUTHORIZATION, "Bearer " + key);
    }
  }

  /** Makes a call, once more if its key was refused, so that it has done nothing, and replaced. */
  private <T> T withKey(Function<String, T> call) {
    String key = key();
    try {
      return call.apply(key);
    } catch (FlowException e) {
      String other = isRefusedKey(e) ? key() : key;
      if (Objects.equals(other, key)) {
        throw e;
      }
      return call.apply(other);
    }
  }

  private static boolean isRefusedKey(Throwable e) {
    return e instanceof FlowException refusal
        && (refusal.errorCode() == ErrorCode.NOT_AUTHENTICATED
            || refusal.errorCode() == ErrorCode.KEY_ENDED);
  }

  private String keyThatThisClientHas() {
    try {
      return hasKey() ? "; this client has another" : "; this client has none";
    } catch (FlowUnreachableException e) {
      return ""; // its source fails just now, which is not why the call was refused
    }
  }

  private boolean hasKey() {
    return key() != null;
  }

  /**
   * The key of the next call; {@code null} for none.
   *
   * @throws FlowUnreachableException if its source fails, which is no fault of the call
   */
  private String key() {
    try {
      String key = apiKey.get();
      return key == null || key.isEmpty() ? null : checkedKey("the key", key);
    } catch (RuntimeException e) {
      throw outages.noKey(e);
    }
  }
}
