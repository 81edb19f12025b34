package io.asyncflow.flowsvr.front.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.front.compat.Recording.Exchange;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.TaskId;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;

/** Old clients get from a server with their paths what they expect. */
@RunningServer
@TestPropertySource(properties = {"flow.compat.legacy-paths=true", "flow.compat.go-paths=true"})
@Tag("contract")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OldClientIT {

  private static final int MOST = 8_192;

  @LocalServerPort int port;

  @Autowired Given given;

  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
  }

  @ParameterizedTest
  @Order(1) // the worker lists all types
  @ValueSource(strings = {"worker.http", "refusals.http", "go-v1.http", "go.http"})
  void recordedSessionIsAnsweredAsTheClientExpects(String file) {
    replay(file, wire);
  }

  static void replay(String file, Wire wire) {
    Recording.Names names = new Recording.Names();
    List<Exchange> exchanges = Recording.of(file).exchanges();
    assertThat(exchanges).isNotEmpty();
    for (Exchange exchange : exchanges) {
      Answer answer = send(exchange, names, wire);
      assertThat(answer.status())
          .as(exchange.what() + ": " + answer.body())
          .isEqualTo(exchange.status());
      List<String> differences = new ArrayList<>();
      if (answer.status() == 200) {
        differences.addAll(names.differences(exchange.answer(), answer.body()));
      } else { // a refusal has more members than the three that old clients know
        exchange
            .answer()
            .propertyNames()
            .forEach(
                member ->
                    differences.addAll(
                        names.differences(
                            exchange.answer().get(member), answer.body().path(member))));
      }
      assertThat(differences).as(exchange.what()).isEmpty();
    }
  }

  private static Answer send(Exchange exchange, Recording.Names names, Wire wire) {
    String body = names.filled(exchange.body());
    HttpRequest.Builder request =
        wire.request(names.filled(exchange.path()))
            .method(
                exchange.method(),
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    return wire.send(
        exchange.contentType().equals("none")
            ? request
            : request.header("Content-Type", exchange.contentType()));
  }

  @Test
  void holdOfAnOldPathHasALeaseThroughTheQueueAndAGoWorkerNone() {
    saveType("Queued");
    create("Queued", "{}");
    create("Queued", "{}");
    wire.get("/task/hold_task?task_type=Queued&limit=1");
    wire.post("/v1/hold_tasks?task_type=queued&limit=1");
    assertThat(
            wire.get("/api/task/getTaskList?taskType=queued&status=2")
                .result()
                .path("taskList")
                .valueStream()
                .map(task -> task.path("leaseMs").asLong() / 10_000))
        .containsExactlyInAnyOrder(362L, 2L);
  }

  @Test
  void taskOfANewClientHasALogThatOldWorkersReadAndIsHeldAloneOnceItWasLost() {
    saveType("Shared");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(
          wire.post(
                  "/api/task/createTask",
                  "{'taskData':{'userId':'u','taskType':'shared','taskStage':'s','taskContext':'x'}}")
              .result()
              .path("taskId")
              .asString());
    }
    given.set(TaskId.parse(ids.get(0)).orElseThrow(), "delivery_count = 1");

    JsonNode first = wire.get("/task/hold_task?task_type=Shared&limit=5").result().path("taskList");
    assertThat(first).hasSize(1);
    assertThat(first.get(0).path("task_id").asString()).isEqualTo(ids.get(0));
    assertThat(first.get(0).path("schedule_log").asString())
        .isEqualTo("{\"historyDatas\":[],\"lastData\":{}}");
    assertThat(wire.get("/task/hold_task?task_type=Shared&limit=5").result().path("taskList"))
        .hasSize(2);
  }

  @Test
  void oldConfigurationChangesHowATypeIsSpelledAndTheApiDoesNot() {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'spelt','schedule_limit':7}");
    saveType("Spelt");
    assertThat(types()).contains("Spelt 7").doesNotContain("spelt 7");
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'SPELT','schedule_limit':8}");
    assertThat(types()).contains("Spelt 8");
    wire.post("/v1/register_task", "{'task_type':'spelt'}");
    assertThat(types()).contains("spelt 8");

    assertThat(
            wire.post("/api/audit/list", "{'object':'type:spelt'}")
                .result()
                .path("actList")
                .valueStream()
                .map(act -> act.path("detail").path("after").path("task_type").asString("")))
        .contains("Spelt", "spelt");
  }

  private List<String> types() {
    return wire.get("/task_schedule_cfg/list")
        .result()
        .path("scheduleCfgList")
        .valueStream()
        .map(type -> type.path("task_type").asString() + " " + type.path("schedule_limit").asInt())
        .toList();
  }

  @Test
  void contextHasEightKilobytesForOldClientsAndFourForOthers() {
    saveType("Context");
    assertThat(create("Context", "c".repeat(MOST + 1)).code()).isEqualTo(8060);
    Answer created = create("Context", "c".repeat(MOST));
    String id = created.result().path("task_id").asString();
    assertThat(contextOf(id)).hasSize(MOST);

    assertThat(setContext(id, "d".repeat(MOST + 1)).code()).isEqualTo(8060);
    assertThat(setContext(id, "d".repeat(MOST)).code()).isZero();
    assertThat(contextOf(id)).isEqualTo("d".repeat(MOST));
    JsonNode held =
        wire.get("/task/hold_task?task_type=Context&status=1&limit=5").result().path("taskList");
    assertThat(held.get(0).path("task_context").asString()).hasSize(MOST);

    String ofApi =
        "{'taskData':{'userId':'u','taskType':'context','taskStage':'s','taskContext':'%s'}}";
    assertThat(wire.post("/api/task/createTask", ofApi.formatted("c".repeat(MOST))).code())
        .isEqualTo(8060);
  }

  @Test
  void idMayHaveTheTypeAsItIsSpelled() {
    saveType("Spelled");
    String id = create("Spelled", "{}").result().path("task_id").asString();
    assertThat(id).endsWith("_spelled_task_1");
    String old = id.replace("spelled", "Spelled");

    JsonNode task = wire.get("/task/get_task?task_id=" + old).result().path("taskData");
    assertThat(task.path("task_id").asString()).isEqualTo(id);
    assertThat(task.path("task_type").asString()).isEqualTo("Spelled");
    assertThat(wire.post("/task/set_task", "{'task_id':'" + old + "','status':8}").code()).isZero();
    assertThat(wire.get("/api/task/getTask?taskId=" + old).code())
        .as("the API has one spelling of an id")
        .isEqualTo(8020);
  }

  @ParameterizedTest
  @CsvSource({"0,3", "1,1", "5000,3"})
  void limitOfAListIsAsTheOldServerTookIt(String limit, int listed) {
    String type = "Limit" + limit;
    saveType(type);
    for (int i = 0; i < 3; i++) {
      create(type, "{}");
    }
    assertThat(
            wire.get("/task/task_list?task_type=%s&status=1&limit=%s".formatted(type, limit))
                .result()
                .path("taskList"))
        .hasSize(listed);
    assertThat(
            wire.get("/task/hold_task?task_type=%s&status=1&limit=%s".formatted(type, limit))
                .result()
                .path("taskList"))
        .hasSize(listed);
    assertThat(wire.get("/task/task_list?task_type=" + type + "&status=1&limit=x").code())
        .isEqualTo(8020);
  }

  /** An answer of the API ends at 4 MiB; an old client cannot ask for what follows. */
  @Test
  void listEndsWhereAPageOfTheApiDoes() {
    saveType("Heavy");
    int most = 4 * 1024 * 1024 / MOST + 1;
    for (int i = 0; i < most; i++) {
      create("Heavy", "h".repeat(MOST));
    }
    JsonNode page = wire.get("/api/task/get_task_list?task_type=Heavy&limit=1000").result();
    assertThat(page.path("taskList").size()).isLessThan(most);
    assertThat(page.path("nextCursor").isNull()).isFalse();

    assertThat(wire.get("/task/task_list?task_type=Heavy").result().path("taskList"))
        .hasSize(page.path("taskList").size());
  }

  @Test
  void callsOfTheApiAreAnsweredAsEver() {
    saveType("Ever");
    create("Ever", "{}");
    Answer list = wire.get("/api/task/get_task_list?task_type=Ever");
    assertThat(list.result().path("taskList").get(0).propertyNames()).contains("taskId", "userId");
    assertThat(list.result().path("taskList").get(0).path("taskType").asString()).isEqualTo("ever");
  }

  private void saveType(String name) {
    assertThat(
            wire.post("/task_schedule_cfg/task_configuration", "{'task_type':'" + name + "'}")
                .code())
        .isZero();
  }

  private Answer create(String type, String context) {
    return wire.post(
        "/task/create_task",
        "{'taskData':{'user_id':'u','task_type':'%s','task_stage':'s','task_context':'%s'}}"
            .formatted(type, context));
  }

  private Answer setContext(String id, String context) {
    return wire.post(
        "/task/set_task", "{'task_id':'%s','task_context':'%s'}".formatted(id, context));
  }

  private String contextOf(String id) {
    return wire.get("/task/get_task?task_id=" + id)
        .result()
        .path("taskData")
        .path("task_context")
        .asString();
  }
}
