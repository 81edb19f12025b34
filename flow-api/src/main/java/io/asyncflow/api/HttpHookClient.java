package io.asyncflow.api;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.hook.Hook;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.hook.HookState;
import io.asyncflow.api.hook.NewHook;
import io.asyncflow.api.hook.SavedHook;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The calls about hooks, over HTTP. */
final class HttpHookClient implements HookClient {

  private static final Answer<SavedHook> SAVED = Answer.of(SavedHook.class);
  private static final Answer<List<Hook>> HOOKS = Answer.of(ListResult.class, ListResult::hookList);
  private static final Answer<String> TESTED = Answer.of(TestResult.class, TestResult::taskId);

  private final HttpTransport http;

  HttpHookClient(HttpTransport http) {
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
    return http.post("/api/hook/list", Map.of(), HOOKS);
  }

  @Override
  public String test(String name) {
    return http.post("/api/hook/test", new ActOn(name, null, null), TESTED);
  }

  @Override
  public SavedHook rotate(String name, String operator, String reason) {
    return http.post("/api/hook/rotate", new ActOn(name, operator, reason), SAVED);
  }

  @Override
  public void delete(String name, String operator, String reason) {
    http.post("/api/hook/delete", new ActOn(name, operator, reason));
  }
}
