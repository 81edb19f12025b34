package io.asyncflow.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The calls about the context store, over HTTP. */
final class HttpStoreClient implements StoreClient {

  private static final String PATH = "/api/store/";

  /** The slowest upload that is waited for. */
  private static final long MIN_BYTES_PER_SECOND = 32 * 1024;

  private final HttpTransport http;

  HttpStoreClient(HttpTransport http) {
    this.http = http;
  }

  @Override
  public void put(StoreKey key, String workerId, StoreContent content) {
    String path = PATH + key + "?workerId=" + URLEncoder.encode(workerId, StandardCharsets.UTF_8);
    Duration extraWait = Duration.ofSeconds(content.length() / MIN_BYTES_PER_SECOND);
    http.upload(
        path,
        request ->
            request
                .header("Content-Type", "application/octet-stream")
                .header("Content-Digest", content.contentDigest())
                .PUT(bodyOf(content)),
        extraWait);
  }

  private static BodyPublisher bodyOf(StoreContent content) {
    if (content.length() == 0) {
      return BodyPublishers.noBody();
    }
    return BodyPublishers.fromPublisher(
        BodyPublishers.ofInputStream(() -> opened(content)), content.length());
  }

  private static InputStream opened(StoreContent content) {
    try {
      return content.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputStream open(StoreKey key) {
    return http.download(PATH + key);
  }
}
