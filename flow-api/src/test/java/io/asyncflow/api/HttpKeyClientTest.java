package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.key.IssuedKey;
import io.asyncflow.api.key.KeyState;
import io.asyncflow.api.key.ListedKey;
import io.asyncflow.api.key.NewKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls about access keys, and clients whose key is replaced while they run. */
class HttpKeyClientTest {

  private static final String ISSUED =
      "{\"keyId\":\"3Qm81LtzGh\",\"key\":\"afk_x\",\"expireTime\":9}";

  /** Each request, its path without {@code /api/key/} and its body. */
  private final List<String> seen = new CopyOnWriteArrayList<>();

  private final List<String> keys = new CopyOnWriteArrayList<>();
  private final Queue<String> answers = new ArrayDeque<>();
  @TempDir Path directory;
  private HttpServer server;
  private HttpFlowClient client;
  private volatile String rightKey = "Bearer right";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    client =
        new HttpFlowClient(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "right");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String key = exchange.getRequestHeaders().getFirst("Authorization");
    keys.add(key);
    String path = exchange.getRequestURI().getPath().replace("/api/key/", "");
    seen.add(path + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    boolean isRight = rightKey.equals(key);
    String answer =
        isRight
            ? "{\"msg\":\"ok\",\"code\":0,\"result\":%s}".formatted(answers.poll())
            : "{\"msg\":\"your key has been revoked\",\"code\":8071,\"result\":null}";
    byte[] body = answer.getBytes(UTF_8);
    exchange.sendResponseHeaders(isRight ? 200 : 401, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Test
  void aNewKeyIsInNoLog() {
    answers.add(ISSUED);
    IssuedKey issued =
        client.keys().create(NewKey.of("fleet", "WORKER").ofTypes("tts").ofWorkers("gpu-"));
    assertThat(issued).isEqualTo(new IssuedKey("3Qm81LtzGh", "afk_x", 9));
    assertThat(issued.toString()).doesNotContain("afk_x");
    assertThat(seen)
        .containsExactly(
            "create {\"name\":\"fleet\",\"roles\":[\"WORKER\"],\"types\":[\"tts\"],"
                + "\"workerPrefix\":\"gpu-\"}");
  }

  @Test
  void allPagesAreRead() {
    answers.add("{\"keyList\":[%s],\"nextCursor\":\"7-a\"}".formatted(listed("a")));
    answers.add("{\"keyList\":[%s]}".formatted(listed("b")));
    assertThat(client.keys().list(KeyState.EXPIRED))
        .extracting(ListedKey::keyId)
        .containsExactly("a", "b");
    assertThat(seen)
        .containsExactly(
            "list {\"state\":\"EXPIRED\"}", "list {\"state\":\"EXPIRED\",\"cursor\":\"7-a\"}");
  }

  private static String listed(String id) {
    return "{\"keyId\":\"%s\",\"createTime\":7,\"expireTime\":8,\"state\":\"EXPIRED\"}"
        .formatted(id);
  }

  @Test
  void aKeyIsRotatedAndRevokedById() {
    answers.add(ISSUED);
    answers.add("null");
    client.keys().rotate("3Qm81LtzGh", Duration.ofHours(1));
    client.keys().revoke("3Qm81LtzGh", null);
    assertThat(seen)
        .containsExactly(
            "rotate {\"keyId\":\"3Qm81LtzGh\",\"overlapSeconds\":3600}",
            "revoke {\"keyId\":\"3Qm81LtzGh\"}");
  }

  @Test
  void aKeyThatWasReplacedInItsFileIsUsedWithoutARestart() throws IOException {
    Path file = Files.writeString(directory.resolve("key"), "right\n");
    HttpFlowClient reading = client.withKeyFrom(new ApiKeyFile(file));
    answers.add("null");
    reading.keys().revoke("a", null);
    Path next = Files.writeString(directory.resolve("next"), "other\n");
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    rightKey = "Bearer other";
    answers.add("null");
    reading.keys().revoke("b", null);
    Files.delete(file);
    answers.add("null");
    reading.keys().revoke("c", null);
    assertThat(keys).containsExactly("Bearer right", "Bearer other", "Bearer other");
  }

  @Test
  void aRefusedCallIsMadeOnceMoreIfThereIsAnotherKeyByThen() {
    Deque<String> sources = new ArrayDeque<>(List.of("old", "right"));
    answers.add("null");
    client.withKeyFrom(sources::poll).keys().revoke("a", null);
    assertThat(keys).containsExactly("Bearer old", "Bearer right");
    assertThat(seen).hasSize(2).allMatch(call -> call.equals("revoke {\"keyId\":\"a\"}"));
  }

  @Test
  void aRefusedCallIsMadeOnceIfThereIsNoOtherKey() {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> client.withKeyFrom(() -> "old").keys().me())
        .withMessage("your key has been revoked")
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.KEY_ENDED);
    assertThat(keys).containsExactly("Bearer old");
  }
}
