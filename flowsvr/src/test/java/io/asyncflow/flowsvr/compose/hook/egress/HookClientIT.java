package io.asyncflow.flowsvr.compose.hook.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.compose.hook.TlsReceiver;
import io.asyncflow.flowsvr.compose.hook.TlsReceiver.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the client does to an endpoint, and lets it do. */
class HookClientIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final HookAllow LOCAL = HookAllow.parse("localhost,127.0.0.1/32");

  private static TlsReceiver receiver;
  private HookClient client;

  @BeforeAll
  static void startReceiver() {
    receiver = TlsReceiver.start();
  }

  @AfterAll
  static void stopReceiver() {
    receiver.close();
  }

  @AfterEach
  void close() {
    client.close();
  }

  private HookClient client(DnsResolver names, Duration timeout) {
    client = new HookClient(LOCAL, names, receiver.tls(), timeout);
    return client;
  }

  private HookClient client() {
    return client(SystemDefaultDnsResolver.INSTANCE, TIMEOUT);
  }

  @Test
  void requestHasTheHeadersAndTheBody() throws IOException {
    HookAnswer answer =
        client().post(receiver.url("/in"), Map.of("webhook-id", "evt_1"), "{\"ü\":1}");

    assertThat(answer.status()).isEqualTo(200);
    TlsReceiver.Received request = receiver.received("/in").get(0);
    assertThat(request.header("webhook-id")).isEqualTo("evt_1");
    assertThat(request.header("content-type")).startsWith("application/json");
    assertThat(request.body()).isEqualTo("{\"ü\":1}");
  }

  @Test
  void redirectIsNotFollowed() throws IOException {
    receiver.answer(
        "/moved", Answer.of(302).with("Location", "https://169.254.169.254/latest/meta-data/"));
    receiver.answer("/near", Answer.of(307).with("Location", receiver.url("/target")));

    assertThat(client().post(receiver.url("/moved"), Map.of(), "{}").status()).isEqualTo(302);
    assertThat(client.post(receiver.url("/near"), Map.of(), "{}").status()).isEqualTo(307);
    assertThat(receiver.received("/target")).isEmpty();
  }

  @Test
  void endpointThatDoesNotAnswerIsLeftInTime() {
    receiver.answer("/hang", Answer.never());

    assertThatThrownBy(
            () ->
                client(SystemDefaultDnsResolver.INSTANCE, Duration.ofSeconds(1))
                    .post(receiver.url("/hang"), Map.of(), "{}"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void onlyTheBeginningOfAnAnswerIsRead() throws IOException {
    receiver.answer("/long", new Answer(500, Map.of(), "x".repeat(10_000_000)));

    assertThat(client().post(receiver.url("/long"), Map.of(), "{}").text()).hasSize(4_096);
  }

  @Test
  void answerWithEndlessHeadersIsRefused() {
    receiver.answer("/headers", Answer.of(200).with("x-long", "x".repeat(100_000)));

    assertThatThrownBy(() -> client().post(receiver.url("/headers"), Map.of(), "{}"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void pauseThatTheEndpointAsksForIsRead() throws IOException {
    receiver.answer(
        "/later",
        Answer.of(503).with("Retry-After", "7"),
        Answer.of(503).with("Retry-After", "in a while"),
        Answer.of(503));

    assertThat(client().post(receiver.url("/later"), Map.of(), "{}").retryAfter())
        .contains(Duration.ofSeconds(7));
    assertThat(client.post(receiver.url("/later"), Map.of(), "{}").retryAfter()).isEmpty();
    assertThat(client.post(receiver.url("/later"), Map.of(), "{}").retryAfter()).isEmpty();
  }

  @Test
  void certificateThatIsNotTrustedIsRefused() throws NoSuchAlgorithmException {
    client =
        new HookClient(LOCAL, SystemDefaultDnsResolver.INSTANCE, SSLContext.getDefault(), TIMEOUT);

    assertThatThrownBy(() -> client.post(receiver.url("/strange"), Map.of(), "{}"))
        .isInstanceOf(SSLException.class);
    assertThat(receiver.received("/strange")).isEmpty();
  }

  @Test
  void urlThatIsNotAllowedAnyMoreIsNotAsked() {
    client = new HookClient(HookAllow.parse(""), new Names(), receiver.tls(), TIMEOUT);

    assertThatThrownBy(() -> client.post(receiver.url("/off"), Map.of(), "{}"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("FLOW_HOOK_ALLOW");
  }

  /** A name server that answers for the check and otherwise for the connection gets nowhere. */
  @Test
  void connectionIsMadeToTheAddressThatWasChecked() throws IOException {
    try (TlsReceiver inside = TlsReceiver.start("127.0.0.2")) {
      Names names = new Names("127.0.0.1", "127.0.0.2", "127.0.0.2");
      client(names, TIMEOUT);

      assertThat(client.post(receiver.url("/rebound"), Map.of(), "{}").status()).isEqualTo(200);
      assertThat(receiver.received("/rebound")).hasSize(1);

      assertThatThrownBy(() -> client.post(inside.url("/rebound"), Map.of(), "{}"))
          .isInstanceOf(UnknownHostException.class);
      assertThat(inside.received("/rebound")).isEmpty();
      assertThat(names.asked).containsExactly("localhost", "localhost");
    }
  }

  /** Answers with another address each time. */
  private static final class Names implements DnsResolver {

    private final Queue<String> addresses;
    private final Queue<String> asked = new ArrayDeque<>();

    Names(String... addresses) {
      this.addresses = new ArrayDeque<>(List.of(addresses));
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      asked.add(host);
      return new InetAddress[] {InetAddress.getByName(addresses.remove())};
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
