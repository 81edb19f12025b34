package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.NewHook;
import io.asyncflow.api.hook.SavedHook;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpHookClientTest {

  private static final String URL = "https://hooks.example.com/in";

  private StubServer server;
  private HookClient hooks;

  @BeforeEach
  void start() throws IOException {
    server = new StubServer("/api/hook/");
    hooks = server.client().hooks();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aNewHookHasASecretThatNoLogShows() {
    server.answers("{\"hookId\":\"7\",\"secret\":\"whsec_abc\"}");
    SavedHook saved = hooks.save(NewHook.of("crm", URL));
    assertThat(saved).isEqualTo(new SavedHook("7", "whsec_abc"));
    assertThat(saved.toString()).doesNotContain("abc");
    assertThat(server.seen)
        .containsExactly(
            "save {\"name\":\"crm\",\"url\":\"" + URL + "\",\"taskTypes\":[],\"kinds\":[]}");
  }

  @Test
  void everyFieldHasItsNameOnTheWire() {
    server.answers("{\"hookId\":\"7\"}");
    NewHook hook =
        NewHook.of("crm", URL).ofTypes("lark").ofKinds(EventKind.FAILED).in(HookState.PAUSED);
    assertThat(hooks.save(hook, "ann", "too many").secret()).isNull();
    assertThat(server.seen)
        .containsExactly(
            "save {\"name\":\"crm\",\"url\":\""
                + URL
                + "\",\"taskTypes\":[\"lark\"],\"kinds\":[\"FAILED\"],\"state\":\"PAUSED\","
                + "\"operator\":\"ann\",\"reason\":\"too many\"}");
  }

  @Test
  void hooksAreListed() {
    server.answers(
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
    assertThat(server.seen).containsExactly("list {}");
  }

  @Test
  void actsNameTheHook() {
    server.answers("{\"taskId\":\"1_flow_webhook_task_1\"}");
    assertThat(hooks.test("crm")).isEqualTo("1_flow_webhook_task_1");
    server.answers("{\"hookId\":\"7\",\"secret\":\"whsec_def\"}");
    assertThat(hooks.rotate("crm", "ann", "leaked").secret()).isEqualTo("whsec_def");
    hooks.rotate("crm");
    server.answers("null");
    hooks.delete("crm", "ann", "unused");
    hooks.delete("crm");
    assertThat(server.seen)
        .containsExactly(
            "test {\"name\":\"crm\"}",
            "rotate {\"name\":\"crm\",\"operator\":\"ann\",\"reason\":\"leaked\"}",
            "rotate {\"name\":\"crm\"}",
            "delete {\"name\":\"crm\",\"operator\":\"ann\",\"reason\":\"unused\"}",
            "delete {\"name\":\"crm\"}");
  }

  @Test
  void aHookThatIsNotThereHasACodeOfItsOwn() {
    server.refuses(404, "{\"msg\":\"no such hook\",\"code\":8039,\"result\":null}");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> hooks.test("crm"))
        .satisfies(e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.NO_SUCH_HOOK));
  }
}
