package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.NewHook;
import io.asyncflow.api.hook.SavedHook;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpHookClientTest {

  private static final String URL = "https://hooks.example.com/in";

  /** Each request, its path without {@code /api/hook/} and its body. */
  private final List<String> seen = new CopyOnWriteArrayList<>();

  private HttpServer server;
  private HookClient hooks;
  private volatile String answer;
  private volatile int status = 200;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    hooks = new HttpFlowClient(url, null).hooks();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath().replace("/api/hook/", "");
    seen.add(path + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    byte[] body = answer.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void result(String result) {
    answer = "{\"msg\":\"ok\",\"code\":0,\"result\":" + result + "}";
  }

  @Test
  void aNewHookHasASecretThatNoLogShows() {
    result("{\"hookId\":\"7\",\"secret\":\"whsec_abc\"}");
    SavedHook saved = hooks.save(NewHook.of("crm", URL));
    assertThat(saved).isEqualTo(new SavedHook("7", "whsec_abc"));
    assertThat(saved.toString()).doesNotContain("abc");
    assertThat(seen)
        .containsExactly(
            "save {\"name\":\"crm\",\"url\":\"" + URL + "\",\"taskTypes\":[],\"kinds\":[]}");
  }

  @Test
  void everyFieldHasItsNameOnTheWire() {
    result("{\"hookId\":\"7\"}");
    NewHook hook =
        NewHook.of("crm", URL).ofTypes("lark").ofKinds(EventKind.FAILED).in(HookState.PAUSED);
    assertThat(hooks.save(hook, "ann", "too many").secret()).isNull();
    assertThat(seen)
        .containsExactly(
            "save {\"name\":\"crm\",\"url\":\""
                + URL
                + "\",\"taskTypes\":[\"lark\"],\"kinds\":[\"FAILED\"],\"state\":\"PAUSED\","
                + "\"operator\":\"ann\",\"reason\":\"too many\"}");
  }

  @Test
  void hooksAreListed() {
    result(
        "{\"hookList\":[{\"hookId\":\"7\",\"name\":\"crm\",\"url\":\""
            + URL
            + "\",\"taskTypes\":[\"lark\"],\"kinds\":[\"FAILED\"],\"state\":\"DISABLED\","
            + "\"cursor\":\"42\",\"oldSecretEnd\":null,\"failSince\":5,\"lastError\":\"answered 503\","
            + "\"createTime\":1,\"modifyTime\":2}]}");
    assertThat(hooks.list())
        .containsExactly(
            new Hook(
                "7",
                "crm",
                URL,
                Set.of("lark"),
                Set.of("FAILED"),
                HookState.DISABLED,
                "42",
                null,
                5L,
                "answered 503",
                1,
                2));
    assertThat(seen).containsExactly("list {}");
  }

  @Test
  void actsNameTheHook() {
    result("{\"taskId\":\"1_flow_webhook_task_1\"}");
    assertThat(hooks.test("crm")).isEqualTo("1_flow_webhook_task_1");
    result("{\"hookId\":\"7\",\"secret\":\"whsec_def\"}");
    assertThat(hooks.rotate("crm", "ann", "leaked").secret()).isEqualTo("whsec_def");
    hooks.rotate("crm");
    result("null");
    hooks.delete("crm", "ann", "unused");
    hooks.delete("crm");
    assertThat(seen)
        .containsExactly(
            "test {\"name\":\"crm\"}",
            "rotate {\"name\":\"crm\",\"operator\":\"ann\",\"reason\":\"leaked\"}",
            "rotate {\"name\":\"crm\"}",
            "delete {\"name\":\"crm\",\"operator\":\"ann\",\"reason\":\"unused\"}",
            "delete {\"name\":\"crm\"}");
  }

  @Test
  void aHookThatIsNotThereHasACodeOfItsOwn() {
    status = 404;
    answer = "{\"msg\":\"no such hook\",\"code\":8039,\"result\":null}";
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> hooks.test("crm"))
        .satisfies(e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.NO_SUCH_HOOK));
  }
}
