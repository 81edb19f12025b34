package io.asyncflow.flowsvr.access.token;

import com.nimbusds.oauth2.sdk.http.HTTPRequestSender;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.http.ReadOnlyHTTPRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the issuer, while a thread of the server waits: for {@link #PATIENCE} from the first byte to
 * the last. Follows no redirects: the request may carry a secret. Thread-safe.
 */
public final class IssuerHttp implements HTTPRequestSender {

  /** For one message. */
  public static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final int MOST_BYTES = 256 * 1024;

  /** Those that the client sets by itself. */
  private static final Set<String> NOT_OURS = Set.of("content-length", "host", "connection");

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  /** The text at an address; any other status than 200 is a failure. */
  public String read(URI address) throws IOException {
    HttpResponse<byte[]> answer = answerTo(HttpRequest.newBuilder(address).build());
    if (answer.statusCode() != 200) {
      throw new IOException("it answers " + answer.statusCode());
    }
    return new String(answer.body(), StandardCharsets.UTF_8);
  }

  @Override
  public HTTPResponse send(ReadOnlyHTTPRequest asked) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(asked.getURI())
            .method(asked.getMethod().name(), BodyPublishers.ofString(asked.getBody()));
    asked
        .getHeaderMap()
        .forEach(
            (name, values) -> {
              if (!NOT_OURS.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
              }
            });
    HttpResponse<byte[]> answer = answerTo(request.build());
    HTTPResponse response = new HTTPResponse(answer.statusCode());
    answer
        .headers()
        .map()
        .forEach((name, values) -> response.setHeader(name, values.toArray(String[]::new)));
    response.setBody(new String(answer.body(), StandardCharsets.UTF_8));
    return response;
  }

  private HttpResponse<byte[]> answerTo(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(request, head -> new ShortBody());
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("it does not answer within " + PATIENCE.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the server is stopping");
    }
  }

  /** Gives up a body that is too long. */
  private static final class ShortBody implements BodySubscriber<byte[]> {

    private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
    private Subscription subscription;
    private int left = MOST_BYTES;

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole.getBody();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
      whole.onSubscribe(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
      left -= bytes.stream().mapToInt(ByteBuffer::remaining).sum();
      if (left < 0) {
        subscription.cancel();
        whole.onError(new IOException("it answers more than " + MOST_BYTES + " bytes"));
      } else {
        whole.onNext(bytes);
      }
    }

    @Override
    public void onError(Throwable failure) {
      whole.onError(failure);
    }

    @Override
    public void onComplete() {
      whole.onComplete();
    }
  }
}
