package io.asyncflow.dev.environment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ServerOptionTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  @Timeout(60)
  void theEnvironmentNamesTheAuthorities() throws IOException {
    TestCertificate certificate = TestCertificate.create();
    Path roots = certificate.writeCertificate(directory.resolve("roots.pem"));
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.contextTrusting(certificate)));
    byte[] answer = "{\"code\":0,\"result\":{\"scheduleCfgList\":[]}}".getBytes(UTF_8);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      String url = "https://localhost:" + server.getAddress().getPort();
      Map<String, String> trusting = Map.of("FLOW_URL", url, "FLOW_CA", roots.toString());
      assertThat(new ServerOption().client(trusting, PATIENCE).taskTypes()).isEmpty();
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(new ServerOption().client(Map.of("FLOW_URL", url), PATIENCE)::taskTypes)
          .withMessageContaining("cannot be reached over TLS");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aFileWithoutAuthoritiesIsOneSentence() {
    Map<String, String> environment =
        Map.of("FLOW_URL", "https://localhost", "FLOW_CA", directory.resolve("no").toString());
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> new ServerOption().client(environment, PATIENCE))
        .withMessageMatching("FLOW_CA must be a PEM file .*, and not .*/no\\.");
  }
}
