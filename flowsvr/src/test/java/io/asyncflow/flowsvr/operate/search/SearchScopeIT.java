package io.asyncflow.flowsvr.operate.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Searches of callers whose scope has some users alone. */
@KeyedServer
class SearchScopeIT {

  private static final AtomicInteger TYPES = new AtomicInteger();
  private static final String ADMIN = KeyedServer.Roles.keyOf(Role.ADMIN);

  @LocalServerPort int port;

  private Wire wire;
  private String type;

  @BeforeEach
  void tasksOfThreeUsers() {
    wire = new Wire(port);
    type = "scoped" + TYPES.incrementAndGet();
    ok(post(ADMIN, "task_schedule_cfg/save", "{'task_type':'" + type + "'}"));
    for (String user : List.of("ada", "bob", "acme/x")) {
      ok(
          post(
              ADMIN,
              "task/createTask",
              "{'taskData':{'userId':'%s','taskType':'%s','taskStage':'one','taskContext':'tape'}}"
                  .formatted(user, type)));
    }
  }

  private Answer post(String key, String path, String json) {
    return wire.send(
        wire.request("/api/" + path)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result();
  }

  private static String keyOf(Role role, String... users) {
    String key = "key-of-" + role + String.join("-", users).replaceAll("[^a-z-]", "_");
    Scope scope = new Scope(Names.ALL, Names.ALL, Names.of(List.of(users)), "w");
    KeyedServer.Roles.add(key, TestCallers.of(role, scope));
    return key;
  }

  private Answer search(String key, String more) {
    return post(key, "task/search", "{'taskType':'" + type + "'" + more + "}");
  }

  private static List<String> users(Answer answer) {
    return ok(answer).path("taskList").valueStream().map(t -> t.path("userId").asString()).toList();
  }

  @Test
  void usersThatTheScopeListsAreSearchedThroughTheirIndex() {
    String key = keyOf(Role.READER, "ada", "bob");

    Answer found = search(key, "");

    assertThat(users(found)).containsExactlyInAnyOrder("ada", "bob");
    assertThat(found.result().path("drivenBy").asString()).isEqualTo("idx_user");
    assertThat(found.result().path("looked").asInt()).isEqualTo(2);
    assertThat(users(search(key, ",'status':1"))).hasSize(2);
  }

  @Test
  void usersThatTheScopeOnlyDescribesMustBeNamed() {
    String key = keyOf(Role.READER, "acme/*");

    assertThat(search(key, "").badFields()).containsExactly("userId");
    assertThat(users(search(key, ",'userId':'acme/x'"))).containsExactly("acme/x");
    assertThat(search(key, ",'userId':'ada'").code()).isEqualTo(8073);
  }

  @Test
  void anOrderThatGoesThroughTasksOfOtherUsersIsRefused() {
    String key = keyOf(Role.READER, "ada");

    assertThat(search(key, ",'status':1,'order':'DUE'").badFields()).containsExactly("order");
  }

  @Test
  void textsAreSearchedByThoseWhoMayReadThem() {
    Answer refused = search(KeyedServer.Roles.keyOf(Role.READER), ",'text':'tape'");

    assertThat(refused.code()).isEqualTo(8072);
    assertThat(refused.body().path("needs").asString()).isEqualTo("CONTEXT_READ");
    assertThat(users(search(ADMIN, ",'text':'tape'"))).hasSize(3);
    assertThat(users(search(keyOf(Role.SUBMITTER, "bob"), ",'text':'tape'")))
        .containsExactly("bob");
  }

  @Test
  void runningTasksOfOthersAreNotListed() {
    ok(post(ADMIN, "task/hold_task", "{'taskType':'" + type + "','workerId':'w1','limit':3}"));

    JsonNode running =
        ok(post(keyOf(Role.READER, "ada"), "task/running", "{'taskType':'" + type + "'}"));

    assertThat(running.path("runningList")).hasSize(1);
    assertThat(running.path("runningList").path(0).path("userId").asString()).isEqualTo("ada");
  }
}
