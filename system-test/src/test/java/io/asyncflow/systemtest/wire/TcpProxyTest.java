package io.asyncflow.systemtest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.asyncflow.systemtest.wire.TcpProxy.Moment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TcpProxyTest {

  private final AtomicInteger served = new AtomicInteger();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private HttpServer server;
  private TcpProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          served.incrementAndGet();
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    proxy = TcpProxy.to(server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.stop(0);
  }

  private String post(String path, String body) throws IOException, InterruptedException {
    return http.send(request(path, body), BodyHandlers.ofString()).body();
  }

  private HttpRequest request(String path, String body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.port() + path))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  @Test
  void whatIsSentArrives() throws Exception {
    String large = "x".repeat(300_000);
    assertThat(post("/a", large)).isEqualTo(large);
    assertThat(post("/a", "small")).isEqualTo("small");
  }

  @Test
  void frozenCallEndsWhenItThaws() throws Exception {
    post("/a", "warm");
    proxy.freeze();
    CompletableFuture<String> call =
        http.sendAsync(request("/a", "cold"), BodyHandlers.ofString()).thenApply(r -> r.body());
    await().during(Duration.ofMillis(200)).until(() -> !call.isDone());
    proxy.heal();
    assertThat(call.join()).isEqualTo("cold");
  }

  @Test
  void cutWireResetsWhatStandsAndWhatComes() throws Exception {
    post("/a", "before");
    proxy.cut();
    assertThatThrownBy(() -> post("/a", "while")).isInstanceOf(IOException.class);
    proxy.heal();
    assertThat(post("/a", "after")).isEqualTo("after");
  }

  @Test
  void swallowedAnswerIsOfARequestThatWasServed() throws Exception {
    proxy.swallowAnswers("POST /b", 1);
    assertThat(post("/a", "other")).isEqualTo("other");
    assertThatThrownBy(() -> post("/b", "lost")).isInstanceOf(IOException.class);
    assertThat(served).hasValue(2);
    assertThat(proxy.hasSprung()).isTrue();
    assertThat(post("/b", "again")).isEqualTo("again");
  }

  @Test
  void trapBeforeARequestKeepsItFromTheServer() {
    AtomicInteger sprung = new AtomicInteger();
    proxy.trap("POST /b", Moment.BEFORE_REQUEST, 1, sprung::incrementAndGet);
    assertThatThrownBy(() -> post("/b", "never")).isInstanceOf(IOException.class);
    assertThat(sprung).hasValue(1);
    assertThat(served).hasValue(0);
  }

  @Test
  void trapAfterARequestLetsTheServerHaveAllOfIt() {
    proxy.trap("POST /b", Moment.AFTER_REQUEST, 1, () -> {});
    assertThatThrownBy(() -> post("/b", "x".repeat(100_000))).isInstanceOf(IOException.class);
    await().until(() -> served.get() == 1);
  }

  @Test
  void heldUpRequestGoesOnWhenTheTrapReturns() throws IOException {
    try (ServerSocket database = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        TcpProxy wire = TcpProxy.to(database.getLocalPort());
        Socket client = new Socket(InetAddress.getLoopbackAddress(), wire.port());
        Socket server = database.accept()) {
      AtomicInteger sprung = new AtomicInteger();
      wire.holdUpStatement("SET end", Moment.BEFORE_REQUEST, 1, sprung::incrementAndGet);
      byte[] packet = "\17\0\0\0\3UPDATE SET end".getBytes(StandardCharsets.US_ASCII);

      client.getOutputStream().write(packet);

      assertThat(server.getInputStream().readNBytes(packet.length)).isEqualTo(packet);
      assertThat(sprung).hasValue(1);
    }
  }

  @Test
  void delayIsAddedToEachWay() throws Exception {
    post("/a", "warm");
    proxy.delay(Duration.ofMillis(100));
    long start = System.nanoTime();
    post("/a", "slow");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(190));
  }
}
