package io.asyncflow.flowsvr.edge.access.token;

import com.nimbusds.oauth2.sdk.http.HTTPRequestSender;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.http.ReadOnlyHTTPRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * Asks the issuer, while a thread of the server waits: for {@link #PATIENCE} from the first byte to
 * the last. Follows no redirects: the request may carry a secret. Thread-safe.
 */
public final class IssuerHttp implements HTTPRequestSender {

  /** For one message. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final Duration CONNECT = Duration.ofSeconds(1);
  private static final int MOST_BYTES = 256 * 1024;

  private final JdkClientHttpRequestFactory http =
      new JdkClientHttpRequestFactory(
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT)
              .followRedirects(HttpClient.Redirect.NEVER)
              .build());

  public IssuerHttp() {
    http.setReadTimeout(PATIENCE); // of the whole answer
    http.enableCompression(false);
  }

  /** The text at an address; any other status than 200 is a failure. */
  public String read(URI address) throws IOException {
    try (ClientHttpResponse answer = http.createRequest(address, HttpMethod.GET).execute()) {
      if (answer.getStatusCode().value() != 200) {
        throw new IOException("it answers " + answer.getStatusCode().value());
      }
      return textOf(answer);
    }
  }

  @Override
  public HTTPResponse send(ReadOnlyHTTPRequest asked) throws IOException {
    ClientHttpRequest request =
        http.createRequest(asked.getURI(), HttpMethod.valueOf(asked.getMethod().name()));
    byte[] body = asked.getBody().getBytes(StandardCharsets.UTF_8);
    asked.getHeaderMap().forEach(request.getHeaders()::put);
    request.getHeaders().setContentLength(body.length); // otherwise it goes in chunks
    request.getBody().write(body);
    try (ClientHttpResponse answer = request.execute()) {
      HTTPResponse response = new HTTPResponse(answer.getStatusCode().value());
      answer
          .getHeaders()
          .forEach((name, values) -> response.setHeader(name, values.toArray(String[]::new)));
      response.setBody(textOf(answer));
      return response;
    }
  }

  private static String textOf(ClientHttpResponse answer) throws IOException {
    byte[] body = answer.getBody().readNBytes(MOST_BYTES + 1);
    if (body.length > MOST_BYTES) {
      throw new IOException("it answers more than " + MOST_BYTES + " bytes");
    }
    return new String(body, StandardCharsets.UTF_8);
  }
}
