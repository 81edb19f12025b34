package io.asyncflow.flowsvr.edge.access.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TrustedRoots;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.FollowedEvent;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.testing.TestCertificate;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.FlowServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A server that asks clients for certificates, and keys that name one. */
@Timeout(120)
class CertificateKeysIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String ENVIRONMENT_KEY = "72057594037927936-31415926535";
  private static final String GPU = "spiffe://acme/gpu";
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static TestCertificate ofServer;
  private static TestCertificate ofGpu;
  private static TestCertificate ofAnother;
  private static TestCertificate expired;
  private static ConfigurableApplicationContext server;
  private static URI url;
  private static SSLContext without;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    ofServer = TestCertificate.create();
    ofGpu = TestCertificate.of("uri:" + GPU + ",dns:Gpu.Acme.Example");
    ofAnother = TestCertificate.of("uri:spiffe://acme/cpu,dns:gpu");
    expired = TestCertificate.expiredOf("uri:" + GPU);
    Path authorities = directory.resolve("clients.pem");
    StringBuilder all = new StringBuilder();
    for (TestCertificate each : new TestCertificate[] {ofGpu, ofAnother, expired}) {
      all.append(Files.readString(each.writeCertificate(directory.resolve("one.pem"))));
    }
    Files.writeString(authorities, all);
    Path certificate = ofServer.writeCertificate(directory.resolve("cert.pem"));
    without = TrustedRoots.in(certificate);
    DatabaseEndpoint database = TestServices.database();
    server =
        new SpringApplication(FlowServer.class)
            .run(
                "--server.port=0",
                "--flow.access.address=127.0.0.1",
                "--flow.access.mode=keys",
                "--flow.access.api-key=" + ENVIRONMENT_KEY,
                "--FLOW_TLS_CERT=" + certificate,
                "--FLOW_TLS_KEY=" + ofServer.writeKey(directory.resolve("key.pem")),
                "--FLOW_TLS_CLIENTS=want",
                "--FLOW_TLS_CLIENT_CA=" + authorities,
                "--spring.datasource.url=" + database.jdbcUrl(TestServices.newSchema("certs")),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password());
    String port = server.getEnvironment().getRequiredProperty("local.server.port");
    url = URI.create("https://localhost:" + port);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static SSLContext as(TestCertificate client) {
    return client.contextTrusting(ofServer);
  }

  private static FlowClient client(SSLContext tls, String key) {
    return new HttpFlowClient(url, key, TIMEOUT, tls);
  }

  private static IssuedKey created(NewKey key) {
    return client(without, ENVIRONMENT_KEY).keys().create(key);
  }

  private static NewKey reader() {
    return NewKey.of("key " + NAMES.incrementAndGet(), "READER");
  }

  private static void revoke(IssuedKey key) {
    client(without, ENVIRONMENT_KEY).keys().revoke(key.keyId(), null);
  }

  private static String principal(SSLContext tls, String key) {
    return client(tls, key).keys().me().principal();
  }

  private static void assertRefused(ErrorCode code, SSLContext tls, String key) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> principal(tls, key))
        .extracting(FlowException::errorCode)
        .isEqualTo(code);
  }

  @Test
  void certificateProvesTheKeyThatNamesItUntilTheKeyIsRevoked() throws Exception {
    IssuedKey key = created(reader().withCertificate(GPU));
    String expected = "key:" + key.keyId();
    assertThat(principal(as(ofGpu), null)).isEqualTo(expected);
    assertThat(client(as(ofGpu), null).keys().me().kind()).isEqualTo("KEY");
    assertThat(client(as(ofGpu), null).keys().me().certSan()).isEqualTo(GPU);
    assertThat(principal(as(ofGpu), key.key())).as("with the key").isEqualTo(expected);

    assertRefused(ErrorCode.NOT_AUTHENTICATED, without, null);
    assertRefused(ErrorCode.NOT_AUTHENTICATED, as(ofAnother), null);
    assertRefused(ErrorCode.NOT_AUTHENTICATED, as(expired), null);
    assertRefused(ErrorCode.KEY_ENDED, without, key.key());
    assertRefused(ErrorCode.KEY_ENDED, as(ofAnother), key.key());
    assertRefused(ErrorCode.KEY_ENDED, as(expired), key.key());
    SSLContext untrusted = as(TestCertificate.of("uri:" + GPU));
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(() -> principal(untrusted, key.key()));

    try (EventStream<FollowedEvent> stream =
        client(as(ofGpu), null).events().open(EventFilter.ALL, null)) {
      revoke(key);
      assertThat(stream.next()).as("the end of the stream").isNull();
    }
    await() // if the server could not read the keys at once, it does in three seconds
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertRefused(ErrorCode.KEY_ENDED, as(ofGpu), null));
    assertRefused(ErrorCode.KEY_ENDED, as(ofGpu), key.key());
  }

  @Test
  void certificateDoesNotWidenAnotherKey() {
    IssuedKey admin =
        created(
            NewKey.of("key " + NAMES.incrementAndGet(), "ADMIN")
                .withCertificate("GPU.acme.example"));
    IssuedKey plain = created(reader());
    FlowClient both = client(as(ofGpu), plain.key());
    assertThat(both.keys().me().principal()).isEqualTo("key:" + plain.keyId());
    assertThat(both.keys().me().roles()).containsExactly("READER");
    assertThat(principal(as(ofGpu), ENVIRONMENT_KEY)).isEqualTo("env:FLOW_API_KEY");
    assertRefused(ErrorCode.NOT_AUTHENTICATED, as(ofGpu), "wrong");
    assertRefused(ErrorCode.NOT_AUTHENTICATED, as(ofGpu), plain.key() + "x");
    assertThat(principal(as(ofGpu), null)).isEqualTo("key:" + admin.keyId());
    revoke(admin);
  }

  @Test
  void keyThatNeedsACertificateMakesNoKeyWithoutOne() {
    IssuedKey admin =
        created(
            NewKey.of("key " + NAMES.incrementAndGet(), "ADMIN")
                .withCertificate("GPU.acme.example"));
    IssuedKey plain = created(reader());
    FlowClient bound = client(as(ofGpu), admin.key());
    assertConflict(() -> bound.keys().create(reader()));
    assertConflict(() -> bound.keys().rotate(plain.keyId(), Duration.ofHours(1)));
    IssuedKey made = bound.keys().create(reader().withCertificate("spiffe://acme/tpu"));
    bound.keys().revoke(made.keyId(), null);
    revoke(admin);
  }

  private static void assertConflict(Runnable call) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(call::run)
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.KEY_CONFLICT);
  }

  @Test
  void certificateProvesTheSuccessorOfARotatedKey() {
    IssuedKey old = created(reader().withCertificate("spiffe://acme/cpu"));
    IssuedKey next =
        client(without, ENVIRONMENT_KEY).keys().rotate(old.keyId(), Duration.ofHours(1));
    assertThat(principal(as(ofAnother), null)).isEqualTo("key:" + next.keyId());
    assertThat(principal(as(ofAnother), old.key())).isEqualTo("key:" + old.keyId());
    assertRefused(ErrorCode.KEY_ENDED, without, next.key());
    revoke(old);
    revoke(next);
  }

  @Test
  void keyThatNeedsACertificateBeginsNoSession() throws Exception {
    IssuedKey key = created(reader().withCertificate("spiffe://acme/cpu"));
    HttpClient browser = HttpClient.newBuilder().sslContext(as(ofAnother)).build();
    HttpRequest logIn =
        HttpRequest.newBuilder(url.resolve("/api/session"))
            .timeout(TIMEOUT)
            .header("Authorization", "Bearer " + key.key())
            .POST(BodyPublishers.noBody())
            .build();
    HttpResponse<String> refused = browser.send(logIn, BodyHandlers.ofString());
    assertThat(refused.body()).contains("\"code\":8051", "certificate");
    assertThat(refused.headers().firstValue("Set-Cookie")).isEmpty();
    revoke(key);
  }

  @Test
  void pageOfAnotherSiteCannotUseTheCertificateOfABrowser() throws Exception {
    IssuedKey key = created(reader().withCertificate("spiffe://acme/cpu"));
    HttpClient browser =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(as(ofAnother))
            .build();
    HttpRequest.Builder me = HttpRequest.newBuilder(url.resolve("/api/key/me")).timeout(TIMEOUT);
    assertThat(browser.send(me.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    HttpResponse<String> refused =
        browser.send(
            me.copy().header("Origin", "https://evil.example").build(), BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("\"code\":8074");
    HttpRequest withKey =
        me.copy()
            .header("Origin", "https://evil.example")
            .header("Authorization", "Bearer " + key.key())
            .build();
    assertThat(browser.send(withKey, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    revoke(key);
  }

  @Test
  void healthIsOpenWithAndWithoutACertificate() throws Exception {
    for (SSLContext tls : new SSLContext[] {without, as(ofGpu), as(ofAnother)}) {
      HttpRequest health =
          HttpRequest.newBuilder(url.resolve("/actuator/health/liveness")).timeout(TIMEOUT).build();
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  HttpClient.newBuilder()
                          .sslContext(tls)
                          .build()
                          .send(health, BodyHandlers.discarding())
                          .statusCode()
                      == 200);
    }
  }
}
