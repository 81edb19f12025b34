package io.asyncflow.flowsvr.edge.access.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is taken of an answer of the issuer. */
class IssuerHttpTest {

  private static final int MOST_BYTES = 256 * 1024;

  private final IssuerHttp http = new IssuerHttp();
  private HttpServer issuer;

  @BeforeEach
  void start() throws IOException {
    issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer.start();
  }

  @AfterEach
  void stop() {
    issuer.stop(0);
  }

  private URI answering(int status, String body, String location) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    issuer.createContext(
        "/",
        exchange -> {
          if (location != null) {
            exchange.getResponseHeaders().add("Location", location);
          }
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    return URI.create("http://127.0.0.1:" + issuer.getAddress().getPort() + "/");
  }

  @Test
  void longestAnswerIsRead() throws IOException {
    String longest = "ü".repeat(MOST_BYTES / 2);
    assertThat(http.read(answering(200, longest, null))).isEqualTo(longest);
  }

  @Test
  void longerAnswerIsGivenUp() {
    URI address = answering(200, "x".repeat(MOST_BYTES + 1), null);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> http.read(address))
        .withMessageContaining("more than " + MOST_BYTES + " bytes");
  }

  @Test
  void redirectIsNotFollowed() {
    URI address = answering(302, "", "http://127.0.0.1:9/");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> http.read(address))
        .withMessage("it answers 302");
  }
}
