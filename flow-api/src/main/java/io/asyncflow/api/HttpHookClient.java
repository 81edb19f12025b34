package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.NewHook;
import io.asyncflow.api.hook.SavedHook;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The calls about hooks, over the connections of an {@link HttpFlowClient}. */
final class HttpHookClient implements HookClient {

  private static final ObjectReader SAVED = HttpFlowClient.envelopeOf(SavedHook.class);
  private static final ObjectReader HOOKS = HttpFlowClient.envelopeOf(ListResult.class);
  private static final ObjectReader TESTED = HttpFlowClient.envelopeOf(TestResult.class);

  private final HttpFlowClient http;

  HttpHookClient(HttpFlowClient http) {
    this.http = http;
  }

  private record Save(
      String name,
      String url,
      Set<String> taskTypes,
      Set<EventKind> kinds,
      HookState state,
      String operator,
      String reason) {}

  private record ActOn(String name, String operator, String reason) {}

  private record ListResult(List<Hook> hookList) {}

  private record TestResult(String taskId) {}

  @Override
  public SavedHook save(NewHook hook, String operator, String reason) {
    Save body =
        new Save(
            hook.name(),
            hook.url(),
            hook.taskTypes(),
            hook.kinds(),
            hook.state(),
            operator,
            reason);
    return http.post("/api/hook/save", body, SAVED);
  }

  @Override
  public List<Hook> list() {
    ListResult found = http.post("/api/hook/list", Map.of(), HOOKS);
    return found.hookList();
  }

  @Override
  public String test(String name) {
    TestResult tested = http.post("/api/hook/test", new ActOn(name, null, null), TESTED);
    return tested.taskId();
  }

  @Override
  public SavedHook rotate(String name, String operator, String reason) {
    return http.post("/api/hook/rotate", new ActOn(name, operator, reason), SAVED);
  }

  @Override
  public void delete(String name, String operator, String reason) {
    http.postWithoutResult("/api/hook/delete", new ActOn(name, operator, reason));
  }
}
