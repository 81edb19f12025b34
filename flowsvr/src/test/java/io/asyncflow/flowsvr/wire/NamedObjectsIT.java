package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/**
 * A worker opens what a text names, with a key that reaches all users. So nobody names an object in
 * a text that he could not read himself, whatever the call.
 */
@KeyedServer
class NamedObjectsIT {

  private static final AtomicInteger RUNS = new AtomicInteger();
  private static final int NO_OBJECT = 8037;

  /** Of one user: creates, steers and works. */
  private static final String EVE = "key-of-eve";

  /** Of one type, whose tasks it holds. */
  private static final String FLEET = "key-of-a-fleet";

  @LocalServerPort int port;
  private Wire wire;
  private String type;
  private String task;
  private String adas;
  private String eves;

  @BeforeEach
  void tasksOfTwoUsers() {
    wire = new Wire(port);
    type = "named" + RUNS.incrementAndGet();
    Names users = Names.of(List.of("eve"));
    Set<Role> all = Set.of(Role.SUBMITTER, Role.OPERATOR, Role.WORKER);
    add(EVE, all, new Scope(Names.ALL, Names.ALL, users, ""));
    add(FLEET, Set.of(Role.WORKER), new Scope(Names.of(List.of(type)), Names.ALL, Names.ALL, ""));
    for (String name : List.of(type, type + "_b")) {
      ok(post(KeyedServer.KEY, "task_schedule_cfg/save", "{'task_type':'" + name + "'}"));
    }
    adas = keyOf(create(type, "ada"));
    task = create(type, "eve");
    eves = keyOf(task);
  }

  private static void add(String key, Set<Role> roles, Scope scope) {
    KeyedServer.Roles.add(key, new Caller(Caller.Kind.KEY, "key:" + key, roles, scope));
  }

  private String create(String ofType, String user) {
    String data = "'userId':'%s','taskType':'%s','taskStage':'s'".formatted(user, ofType);
    return ok(post(KeyedServer.KEY, "task/createTask", "{'taskData':{" + data + "}}"))
        .path("taskId")
        .asString();
  }

  private static String keyOf(String id) {
    return id + "/s/1/_context";
  }

  /** With {@code TYPE}, {@code TASK} and {@code TEXT} for what the test has. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "task/createTask {'taskData':{'userId':'eve','taskType':'TYPE','taskStage':'s','taskContext':'TEXT'}}",
        "task/createTasks {'taskDataList':[{'userId':'eve','taskType':'TYPE','taskStage':'s'},"
            + "{'userId':'eve','taskType':'TYPE','taskStage':'s','taskContext':'TEXT'}]}",
        "task/set_task {'taskId':'TASK','taskContext':'TEXT'}",
        "task/clone {'taskId':'TASK','taskContext':'TEXT'}",
        "job/createJob {'jobData':{'userId':'eve','jobType':'TYPE','jobInput':'TEXT'}}",
        "job/createJob {'jobData':{'userId':'eve','jobType':'TYPE','merge':false,"
            + "'children':[{'taskStage':'s','taskContext':'TEXT'}]}}",
        "job/createJob {'jobData':{'userId':'eve','jobType':'TYPE','merge':false,"
            + "'team':{'workers':1,'taskStage':'s','taskContext':'TEXT'}}}",
        "schedule/save {'scheduleData':{'name':'TYPE','everyMs':86400000,"
            + "'taskData':{'userId':'eve','taskType':'TYPE','taskStage':'s','taskContext':'TEXT'}}}",
        "schedule/saveAll {'scheduleDataList':[{'name':'TYPE','everyMs':86400000,"
            + "'jobData':{'userId':'eve','jobType':'TYPE','jobInput':'TEXT'}}]}"
      })
  void callerNamesWhatItCouldReadItself(String call) {
    String path = call.substring(0, call.indexOf(' '));
    String body = call.substring(path.length()).replace("TYPE", type).replace("TASK", task);
    for (String form :
        List.of(
            "{\\\"$stored\\\":\\\"%s\\\",\\\"bytes\\\":1}",
            "stored:%s", "{\\\"a\\\":\\\"%s\\\"}")) {
      Answer refused = post(EVE, path, body.replace("TEXT", form.formatted(adas)));
      assertThat(refused.code()).as(refused.msg()).isEqualTo(NO_OBJECT);
      String unknown = adas.replace("_" + type, "0_" + type);
      Answer ofNone = post(EVE, path, body.replace("TEXT", form.formatted(unknown)));
      assertThat(ofNone.msg().replace(unknown, adas)).isEqualTo(refused.msg());
      String escaped = adas.replace("/", "\\\\u002f").replace("_task_", "\\\\u005ftask_");
      assertThat(post(EVE, path, body.replace("TEXT", form.formatted(escaped))).code())
          .as("escaped once more within the text")
          .isEqualTo(NO_OBJECT);
      ok(post(EVE, path, body.replace("TEXT", form.formatted(eves))));
    }
    ok(post(KeyedServer.KEY, path, body.replace("TEXT", "stored:" + adas)));
  }

  @Test
  void reportNamesWhatItsTaskHasOrWasGivenOrItsWorkerReads() {
    String given = create(type + "_b", "eve") + "/s/1/page.png";
    String beyond = create(type + "_b", "ada") + "/s/1/page.png";
    ok(
        post(
            KeyedServer.KEY,
            "task/set_task",
            "{'taskId':'" + task + "','taskContext':'stored:" + given + "'}"));
    String report = "'outcome':'NEXT_STAGE','taskStage':'s'," + "'taskContext':'stored:%s'";

    assertThat(report(report.formatted(beyond)).code()).isEqualTo(NO_OBJECT);
    assertThat(reports(report.formatted(beyond)).path("code").asInt()).isEqualTo(NO_OBJECT);
    assertThat(report("'outcome':'SUCCESS','result':'stored:" + beyond + "'").code())
        .isEqualTo(NO_OBJECT);
    ok(report(report.formatted(eves)));
    ok(report(report.formatted(adas)));
    ok(
        post(
            KeyedServer.KEY,
            "task/set_task",
            "{'taskId':'" + task + "','taskContext':'stored:" + given + "'}"));
    ok(report(report.formatted(given)));
  }

  /** Nothing but the SDK makes such a text, and only for its own task. */
  @Test
  void reportStandsForTextsOfItsOwnTaskAlone() {
    String text = "{\\\"$stored\\\":\\\"%s\\\",\\\"bytes\\\":1}";
    for (String outcome :
        List.of(
            "'outcome':'SUCCESS','result'",
            "'outcome':'NEXT_STAGE','taskStage':'s','taskContext'")) {
      for (String key : List.of(KeyedServer.KEY, FLEET)) {
        String other = outcome + ":'" + text.formatted(adas) + "'";
        Answer refused = report(key, other);
        assertThat(refused.code()).as(refused.msg()).isEqualTo(NO_OBJECT);
      }
    }
    ok(report("'outcome':'SUCCESS','result':'" + text.formatted(eves) + "'"));
  }

  @Test
  void childrenAreOfTheStageAndNameWhatTheirSplitHas() {
    String job = "{'jobData':{'userId':'eve','jobType':'" + type + "','jobInput':'i'}}";
    ok(post(KeyedServer.KEY, "job/createJob", job));
    JsonNode split =
        ok(post(
                KeyedServer.KEY,
                "task/hold_task",
                "{'taskType':'" + type + "','stages':['split'],'workerId':'w'}"))
            .path("taskList")
            .get(0);
    String page =
        "{'taskId':'%s','workerId':'w','leaseEpoch':%d,'first':0,'children':[{'taskStage':'s','taskContext':'%s'}]}";
    String id = split.path("taskId").asString();
    int epoch = split.path("leaseEpoch").asInt();
    String speaker = "key-of-a-speaker";
    Names types = Names.of(List.of(type));
    Names stages = Names.of(List.of("speak"));
    add(speaker, Set.of(Role.WORKER), new Scope(types, stages, Names.ALL, ""));

    Answer foreign = post(speaker, "job/addChildren", page.formatted(id, epoch, "x"));
    assertThat(foreign.code()).isEqualTo(8073);
    assertThat(foreign.body().path("scope").asString()).isEqualTo("stage");
    String beyond = "stored:" + create(type + "_b", "ada") + "/s/1/n";
    assertThat(post(FLEET, "job/addChildren", page.formatted(id, epoch, beyond)).code())
        .isEqualTo(NO_OBJECT);
    String text = "{\\\"$stored\\\":\\\"%s\\\",\\\"bytes\\\":1}";
    assertThat(
            post(
                    KeyedServer.KEY,
                    "job/addChildren",
                    page.formatted(id, epoch, text.formatted(adas)))
                .code())
        .isEqualTo(NO_OBJECT);
    String own = text.formatted(id + "/split/1/_child-0");
    ok(post(FLEET, "job/addChildren", page.formatted(id, epoch, own)));
  }

  private Answer report(String outcome) {
    return report(FLEET, outcome);
  }

  /** Of a new hold of eve's task. */
  private Answer report(String key, String outcome) {
    return post(key, "task/set_task", held(outcome));
  }

  private JsonNode reports(String outcome) {
    return ok(post(FLEET, "task/set_tasks", "{'reports':[" + held(outcome) + "]}"))
        .path("outcomes")
        .get(0);
  }

  private String held(String outcome) {
    JsonNode now =
        ok(post(KeyedServer.KEY, "task/getTask", "{'taskId':'" + task + "'}")).path("taskData");
    if (now.path("status").asInt() == 1) {
      ok(post(FLEET, "task/hold_task", "{'taskType':'" + type + "','workerId':'w','limit':10}"));
      now = ok(post(KeyedServer.KEY, "task/getTask", "{'taskId':'" + task + "'}")).path("taskData");
    }
    return "{'taskId':'%s','workerId':'w','leaseEpoch':%s,%s}"
        .formatted(task, now.path("leaseEpoch").asInt(), outcome);
  }

  private Answer post(String key, String path, String json) {
    return wire.send(
        wire.request("/api/" + path)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.code()).as(answer.msg()).isZero();
    return answer.result();
  }
}
