package io.asyncflow.flowsvr.compose.hook.egress;

import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.utils.DateUtils;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;

/**
 * Posts to the URLs of hooks: in a limited time, following no redirect, reading little of the
 * answer, and only to allowed addresses. Thread-safe.
 */
public final class HookClient implements AutoCloseable {

  private static final int ANSWER_BYTES = 4_096;
  private static final int MAX_HEADER_BYTES = 4_096;
  private static final int MAX_HEADERS = 50;
  private static final int MAX_CONNECTIONS = 200;
  private static final Duration KEPT_OPEN = Duration.ofMinutes(1);

  private final HookAllow allow;
  private final Duration timeout;
  private final CloseableHttpClient client;
  private final ScheduledThreadPoolExecutor deadlines =
      new ScheduledThreadPoolExecutor(1, DaemonThreads.named("hook-deadline"));

  /**
   * @param names resolves the names of hosts
   * @param tls what certificates are trusted
   * @param timeout of a request, from its beginning to the end of what is read of its answer
   */
  public HookClient(HookAllow allow, DnsResolver names, SSLContext tls, Duration timeout) {
    this.allow = allow;
    this.timeout = timeout;
    this.client = client(new AllowedAddresses(allow, names), tls, timeout);
    deadlines.setRemoveOnCancelPolicy(true);
  }

  private static CloseableHttpClient client(DnsResolver names, SSLContext tls, Duration timeout) {
    Timeout each = Timeout.of(timeout);
    Http1Config limits =
        Http1Config.custom()
            .setMaxLineLength(MAX_HEADER_BYTES)
            .setMaxHeaderCount(MAX_HEADERS)
            .build();
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(names)
                .setTlsSocketStrategy(new DefaultClientTlsStrategy(tls))
                .setConnectionFactory(
                    ManagedHttpClientConnectionFactory.builder().http1Config(limits).build())
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom()
                        .setConnectTimeout(each)
                        .setSocketTimeout(each)
                        .setTimeToLive(Timeout.of(KEPT_OPEN))
                        .build())
                .setMaxConnTotal(MAX_CONNECTIONS)
                .setMaxConnPerRoute(MAX_CONNECTIONS)
                .build())
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(each)
                .setResponseTimeout(each)
                .setProtocolUpgradeEnabled(false)
                .build())
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableContentCompression()
        .setUserAgent("Asyncflow")
        .build();
  }

  /**
   * Posts JSON and returns the answer, whatever its status.
   *
   * @throws IOException if there is no answer in time, or if the URL or the address is not allowed
   */
  public HookAnswer post(String url, Map<String, String> headers, String json) throws IOException {
    Optional<String> refusal = allow.refusal(url);
    if (refusal.isPresent()) {
      throw new IOException("the URL " + refusal.get());
    }
    HttpPost request = new HttpPost(url);
    headers.forEach(request::setHeader);
    request.setEntity(
        new ByteArrayEntity(json.getBytes(StandardCharsets.UTF_8), ContentType.APPLICATION_JSON));
    AtomicBoolean isOver = new AtomicBoolean();
    ScheduledFuture<?> deadline =
        deadlines.schedule(
            () -> {
              isOver.set(true);
              request.cancel();
            },
            timeout.toMillis(),
            TimeUnit.MILLISECONDS);
    try (ClassicHttpResponse response = client.executeOpen(null, request, null)) {
      return new HookAnswer(response.getCode(), retryAfter(response), text(response.getEntity()));
    } catch (IOException e) {
      throw isOver.get() ? new IOException("no answer in " + timeout.toSeconds() + " s", e) : e;
    } finally {
      deadline.cancel(false);
    }
  }

  private static String text(HttpEntity entity) throws IOException {
    return entity == null
        ? ""
        : new String(entity.getContent().readNBytes(ANSWER_BYTES), StandardCharsets.UTF_8);
  }

  /** Seconds, or a date, which is compared with the date of the answer and with no local clock. */
  private static Optional<Duration> retryAfter(ClassicHttpResponse response) {
    Header header = response.getFirstHeader(HttpHeaders.RETRY_AFTER);
    if (header == null) {
      return Optional.empty();
    }
    if (header.getValue().matches("[0-9]{1,9}")) {
      return Optional.of(Duration.ofSeconds(Integer.parseInt(header.getValue())));
    }
    Instant until = DateUtils.parseStandardDate(header.getValue());
    Instant now = DateUtils.parseStandardDate(response, HttpHeaders.DATE);
    return until == null || now == null || until.isBefore(now)
        ? Optional.empty()
        : Optional.of(Duration.between(now, until));
  }

  /** Cuts off what is under way. */
  @Override
  public void close() {
    client.close(CloseMode.IMMEDIATE);
    deadlines.shutdownNow();
  }
}
