package io.asyncflow.flowsvr.compose.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.wire.Wire;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** The calls about hooks, as tests need them. */
public final class Hooks {

  private final Wire wire;

  public Hooks(Wire wire) {
    this.wire = wire;
  }

  /** A hook that was saved just now, with its first secret. */
  public record Saved(String id, String name, String secret) {}

  /**
   * Saves a new hook.
   *
   * @param fields further fields, such as {@code ",'state':'PAUSED'"}
   */
  public Saved save(String url, String fields) {
    String name = "h-" + UUID.randomUUID();
    JsonNode saved = save(name, url, fields).result();
    return new Saved(saved.path("hookId").asString(), name, saved.path("secret").asString());
  }

  public Wire.Answer save(String name, String url, String fields) {
    return wire.post("/api/hook/save", "{'name':'" + name + "','url':'" + url + "'" + fields + "}");
  }

  /** Calls {@code rotate}, {@code test} or {@code delete}; the call must succeed. */
  public JsonNode call(String call, Saved hook) {
    Wire.Answer answer = wire.post("/api/hook/" + call, "{'hookId':'" + hook.id() + "'}");
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result();
  }

  /** The hook as it is listed. */
  public JsonNode listed(Saved hook) {
    return wire.get("/api/hook/list")
        .result()
        .path("hookList")
        .valueStream()
        .filter(listed -> listed.path("hookId").asString().equals(hook.id()))
        .findFirst()
        .orElseThrow();
  }

  public String stateOf(Saved hook) {
    return listed(hook).path("state").asString();
  }

  /** The tasks that deliver to it. */
  public JsonNode deliveries(Saved hook) {
    return wire.get("/api/task/getUserTaskList?limit=1000&userId=hook-" + hook.id())
        .result()
        .path("taskList");
  }

  /** Deletes all hooks. */
  public void deleteAll() {
    wire.get("/api/hook/list")
        .result()
        .path("hookList")
        .forEach(
            hook ->
                wire.post(
                    "/api/hook/delete", "{'hookId':'" + hook.path("hookId").asString() + "'}"));
  }
}
