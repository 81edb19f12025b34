package io.asyncflow.flowsvr.edge.web.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TrustedRoots;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestCertificate;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.FlowServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The server's own TLS, as its clients see it. */
@ExtendWith(OutputCaptureExtension.class)
class TlsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String KEY = "72057594037927936-31415926535";
  private static final String WARNING = "other machines reach this server without TLS";

  private static TestCertificate first;
  private static TestCertificate second;

  @TempDir Path directory;

  @BeforeAll
  static void makeCertificates() {
    first = TestCertificate.create();
    second = TestCertificate.create();
  }

  @Test
  void onlyAuthenticatedCiphersAreSpokenAndClientsWithoutCertificateAreLetInWhereItIsOnlyWanted(
      CapturedOutput output) throws Exception {
    Path authority = second.writeCertificate(directory.resolve("clients.pem"));
    try (ConfigurableApplicationContext server =
        start(
            withCertificate(
                "--FLOW_API_KEY=" + KEY,
                "--FLOW_TLS_CLIENTS=want",
                "--FLOW_TLS_CLIENT_CA=" + authority))) {
      assertThat(statusFor(server, second.contextTrusting(first))).isEqualTo(200);
      assertThat(handshake(server, "TLSv1.3", "TLS_AES_128_GCM_SHA256")).isEqualTo("TLSv1.3");
      assertThat(handshake(server, "TLSv1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"))
          .isEqualTo("TLSv1.2");
      assertThatExceptionOfType(SSLHandshakeException.class)
          .isThrownBy(
              () -> handshake(server, "TLSv1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"));

      HttpResponse<String> answer =
          http(trusting(first)).send(request(server, "/nowhere"), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.headers().firstValue("Strict-Transport-Security"))
          .hasValue("max-age=31536000");
      assertThat(new HttpFlowClient(url(server), KEY, TIMEOUT, trusting(first)).taskTypes())
          .isEmpty();
      assertThat(server.getBean(MeterRegistry.class).get("ssl.chain.expiry").gauge().value())
          .isPositive();
      assertThatThrownBy(new HttpFlowClient(url(server), KEY)::taskTypes)
          .isInstanceOf(FlowUnreachableException.class);
    }
    assertThat(output).doesNotContain(WARNING);
  }

  @Test
  void newCertificateIsShownToNewConnectionsAndOpenStreamsGoOn(CapturedOutput output)
      throws Exception {
    try (ConfigurableApplicationContext server =
        start(withCertificate("--spring.ssl.bundle.watch.file.quiet-period=100ms"))) {
      HttpFlowClient client =
          new HttpFlowClient(url(server), null, TIMEOUT, trusting(first)); // keeps its connection
      client.saveTaskType(TaskTypeSettings.named("watched"));
      String jobId = client.jobs().createJob(NewJob.of("watched", "u", ""));
      try (InputStream stream =
          http(trusting(first))
              .send(
                  request(server, "/api/job/progress?jobId=" + jobId), BodyHandlers.ofInputStream())
              .body()) {
        second.writeCertificate(cert());
        await().atMost(TIMEOUT).until(() -> output.getOut().contains("new TLS files cannot be"));
        assertThat(certificateOf(server)).as("with another's key").isEqualTo(first.certificate());

        assertThat(output.getOut()).as("a stack trace").doesNotContain("\tat org.springframework");
        second.writeKey(key());
        await().atMost(TIMEOUT).until(() -> certificateOf(server).equals(second.certificate()));

        client.jobs().cancelJob(jobId);
        assertThat(new String(stream.readAllBytes(), StandardCharsets.UTF_8)).contains("CANCEL");
      }
      assertThat(new HttpFlowClient(url(server), null, TIMEOUT, trusting(second)).taskTypes())
          .hasSize(1);
    }
  }

  @Test
  void clientsNeedACertificateOfTheAuthority() throws Exception {
    Path authority = second.writeCertificate(directory.resolve("clients.pem"));
    try (ConfigurableApplicationContext server =
        start(withCertificate("--FLOW_TLS_CLIENTS=need", "--FLOW_TLS_CLIENT_CA=" + authority))) {
      assertThat(statusFor(server, second.contextTrusting(first))).isEqualTo(200);
      assertThatThrownBy(() -> statusFor(server, trusting(first)))
          .as("without")
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> statusFor(server, TestCertificate.create().contextTrusting(first)))
          .as("of another authority")
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void serverBehindAProxyDoesNotSayThatItHasNoTls(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext server =
        start(withDatabase("--FLOW_API_KEY=" + KEY, "--FLOW_TLS=proxy"))) {
      URI plain = URI.create("http://127.0.0.1:" + port(server) + "/actuator/health/liveness");
      HttpResponse<String> answer =
          http(SSLContext.getDefault())
              .send(HttpRequest.newBuilder(plain).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Strict-Transport-Security")).isEmpty();
    }
    assertThat(output).doesNotContain(WARNING);
  }

  @Test
  void keyThatAllUsersCanReadIsOneSentence(CapturedOutput output) throws Exception {
    String[] arguments = withCertificate();
    Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-r--r--"));
    assertRefused(output, arguments, "which every user of this machine can read", "chmod o= ");
  }

  @Test
  void keyOfAnotherCertificateIsOneSentence(CapturedOutput output) {
    String[] arguments = withCertificate();
    second.writeKey(key());
    assertRefused(output, arguments, "must be PEM files, and the key that of the certificate");
  }

  @Test
  void fileWithoutCertificateIsOneSentence(CapturedOutput output) throws Exception {
    String[] arguments = withCertificate();
    Files.writeString(cert(), "nothing");
    assertRefused(output, arguments, "must be PEM files");
  }

  @Test
  void certificateWithoutKeyIsOneSentence(CapturedOutput output) {
    String[] arguments = withDatabase("--FLOW_TLS_CERT=" + first.writeCertificate(cert()));
    assertRefused(output, arguments, "FLOW_TLS_CERT and FLOW_TLS_KEY belong together");
  }

  @Test
  void authorityOfClientsThatNothingAsksForIsOneSentence(CapturedOutput output) {
    String[] arguments =
        withCertificate(
            "--FLOW_TLS_CLIENT_CA=" + second.writeCertificate(directory.resolve("clients.pem")));
    assertRefused(output, arguments, "FLOW_TLS_CLIENTS, FLOW_TLS_CLIENT_CA, FLOW_TLS_CERT and");
  }

  private static void assertRefused(
      CapturedOutput output, String[] arguments, String... sentences) {
    assertThatThrownBy(() -> start(arguments)).isNotNull();
    assertThat(output.getAll().lines().filter(line -> line.contains(" ERROR ")))
        .singleElement()
        .asString()
        .contains("flowsvr does not start: ")
        .contains(sentences);
    assertThat(output).doesNotContain("Tomcat");
  }

  private Path cert() {
    return directory.resolve("cert.pem");
  }

  private Path key() {
    return directory.resolve("key.pem");
  }

  private String[] withCertificate(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--FLOW_TLS_CERT=" + first.writeCertificate(cert()));
    all.add("--FLOW_TLS_KEY=" + first.writeKey(key()));
    return withDatabase(all.toArray(String[]::new));
  }

  private static String[] withDatabase(String... arguments) {
    DatabaseEndpoint database = TestServices.database();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server.port=0");
    all.add("--spring.datasource.url=" + database.jdbcUrl(TestServices.newSchema("tls")));
    all.add("--spring.datasource.username=" + database.user());
    all.add("--spring.datasource.password=" + database.password());
    return all.toArray(String[]::new);
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplication(FlowServer.class).run(arguments);
  }

  private static int port(ConfigurableApplicationContext server) {
    return server.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  private static URI url(ConfigurableApplicationContext server) {
    return URI.create("https://localhost:" + port(server));
  }

  private static HttpRequest request(ConfigurableApplicationContext server, String path) {
    return HttpRequest.newBuilder(url(server).resolve(path)).timeout(TIMEOUT).build();
  }

  private static HttpClient http(SSLContext tls) {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(tls).build();
  }

  private SSLContext trusting(TestCertificate root) {
    return TrustedRoots.in(root.writeCertificate(directory.resolve("roots.pem")));
  }

  private static int statusFor(ConfigurableApplicationContext server, SSLContext tls)
      throws Exception {
    return http(tls)
        .send(request(server, "/actuator/health/liveness"), BodyHandlers.discarding())
        .statusCode();
  }

  /** The protocol that is agreed on. */
  private String handshake(ConfigurableApplicationContext server, String protocol, String cipher)
      throws Exception {
    try (SSLSocket socket = connect(server, trusting(first))) {
      socket.setEnabledProtocols(new String[] {protocol});
      socket.setEnabledCipherSuites(new String[] {cipher});
      socket.startHandshake();
      return socket.getSession().getProtocol();
    }
  }

  /** The one that a new connection is shown. */
  private X509Certificate certificateOf(ConfigurableApplicationContext server) throws Exception {
    Path both = directory.resolve("both.pem");
    Files.writeString(
        both,
        Files.readString(first.writeCertificate(directory.resolve("first.pem")))
            + Files.readString(second.writeCertificate(directory.resolve("second.pem"))));
    try (SSLSocket socket = connect(server, TrustedRoots.in(both))) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  private static SSLSocket connect(ConfigurableApplicationContext server, SSLContext tls)
      throws Exception {
    SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket("localhost", port(server));
    socket.setSoTimeout((int) TIMEOUT.toMillis());
    return socket;
  }
}
