package io.asyncflow.api;

import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * {@link FlowClient} over HTTP/1.1.
 *
 * <p>Thread-safe; connections are pooled. An interrupt while a call waits ends it with a {@link
 * FlowUnreachableException} and leaves the thread's interrupt flag set.
 */
public final class HttpFlowClient implements FlowClient {

  /** How long an answer may take unless a constructor says otherwise. */
  public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  private final HttpTransport http;
  private final StoreClient store;

  /**
   * @param baseUrl address of the server, such as {@code http://127.0.0.1:8081}
   * @param apiKey sent as a bearer token; {@code null} or empty for none
   * @throws IllegalArgumentException if no request can be made with one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey) {
    this(baseUrl, apiKey, REQUEST_TIMEOUT);
  }

  /**
   * @param requestTimeout how long an answer may take; a hold may take its {@code waitMs} longer. A
   *     download may take any time, but may be silent for so long only
   * @throws IllegalArgumentException if no request can be made with one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey, Duration requestTimeout) {
    this(baseUrl, apiKey, requestTimeout, null);
  }

  /**
   * @param requestTimeout how long an answer may take; a hold may take its {@code waitMs} longer. A
   *     download may take any time, but may be silent for so long only
   * @param tls for https URLs, such as {@link TrustedRoots#in}; {@code null} for Java's own
   * @throws IllegalArgumentException if no request can be made with one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey, Duration requestTimeout, SSLContext tls) {
    this(new HttpTransport(checked(baseUrl), apiKey, requestTimeout, tls));
  }

  private HttpFlowClient(HttpTransport http) {
    this.http = http;
    this.store = new HttpStoreClient(http);
  }

  private static ServerUrl checked(URI baseUrl) {
    try {
      return new ServerUrl(baseUrl);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("baseUrl must be " + e.getMessage(), e);
    }
  }

  /**
   * A client over the same connections that takes its key from somewhere, such as an {@link
   * ApiKeyFile}.
   *
   * @param keys asked before each call; returns {@code null} or an empty text for no key. A call
   *     whose key is refused is made once more if there is another key by then. While it throws, or
   *     returns what no header can carry, calls end with a {@link FlowUnreachableException} and are
   *     not sent
   */
  public HttpFlowClient withKeyFrom(Supplier<String> keys) {
    return new HttpFlowClient(http.withKeyFrom(Objects.requireNonNull(keys, "keys")));
  }

  /**
   * A client over the same connections whose calls belong to traces. Tasks and jobs that it creates
   * keep the {@code traceparent} of their create, and each hold hands it on.
   *
   * @param source asked before each call, on the thread that makes it; returns the W3C {@code
   *     traceparent} of the current span, or {@code null} for none. What is no {@link TraceParent}
   *     is not sent
   */
  public HttpFlowClient withTraceParentFrom(Supplier<String> source) {
    return new HttpFlowClient(http.withTraceParentFrom(Objects.requireNonNull(source, "source")));
  }

  /**
   * Parses the address of a server, without {@code /api}.
   *
   * @throws IllegalArgumentException if it is none; the message continues the words "must be"
   */
  public static URI parseUrl(String text) {
    return ServerUrl.parse(text).uri();
  }

  /**
   * Checks that a header can carry the API key, and returns it.
   *
   * @throws IllegalArgumentException if it cannot; the message continues the words "must be" and
   *     does not contain the key
   */
  public static String checkApiKey(String apiKey) {
    return HttpTransport.checkApiKey(apiKey);
  }

  @Override
  public Transport transport() {
    return http;
  }

  /** Takes no thread, and belongs to the trace of the thread that makes a call. */
  @Override
  public AsyncFlowClient async() {
    return new AsyncFlowClient(http);
  }

  @Override
  public StoreClient store() {
    return store;
  }
}
