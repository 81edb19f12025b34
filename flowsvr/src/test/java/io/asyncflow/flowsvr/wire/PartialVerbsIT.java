package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.queue.report.TaskUpdate;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.field.TaskFields;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Calls that take several verbs: what was sent decides which of them is needed. */
@KeyedServer
class PartialVerbsIT {

  private static final String SAVE = "/api/task_schedule_cfg/save";
  private static final String HOLD = "/api/task/hold_task";
  private static final String TYPE = "partial";

  @LocalServerPort int port;

  @Autowired
  @Qualifier("requestMappingHandlerMapping")
  RequestMappingHandlerMapping controllers;

  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
    expectOk(post(Role.ADMIN, SAVE, "{'task_type':'" + TYPE + "','paused':0}"));
  }

  private Answer post(Role role, String path, String json) {
    return wire.send(
        wire.request(path)
            .header("Authorization", "Bearer " + KeyedServer.Roles.keyOf(role))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static void expectOk(Answer answer) {
    assertThat(answer.code()).as(answer.msg()).isZero();
  }

  private static void expectMissing(Verb verb, Answer answer) {
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.code()).isEqualTo(8072);
    assertThat(answer.body().path("needs").asString()).isEqualTo(verb.name());
    assertThat(answer.body().has("scope")).isFalse();
    assertThat(answer.body().path("retryable").asBoolean()).isFalse();
  }

  @Test
  void operatorTunesATypeAndChangesNothingElseOfIt() {
    expectOk(
        post(
            Role.OPERATOR,
            SAVE,
            "{'taskType':'Partial','paused':1,'max_executing':5,'rateLimit':7}"));

    expectMissing(
        Verb.TYPE_SAVE,
        post(Role.OPERATOR, SAVE, "{'task_type':'" + TYPE + "','paused':0,'max_retry_num':1}"));
    expectMissing(
        Verb.TYPE_SAVE,
        post(Role.OPERATOR, SAVE, "{'task_type':'" + TYPE + "','max_retry_interval':null}"));
    expectMissing(
        Verb.TYPE_SAVE, post(Role.OPERATOR, SAVE, "{'task_type':'partial_new','paused':1}"));
    String types = post(Role.READER, "/api/task_schedule_cfg/list", "{}").http().body();
    assertThat(types).contains("\"task_type\":\"partial\"").doesNotContain("partial_new");
  }

  @Test
  void workerPausesWorkersAlone() {
    String worker = "{'kind':'WORKER','name':'w1'}";
    expectOk(post(Role.WORKER, "/api/pause/set", worker));
    expectOk(post(Role.WORKER, "/api/pause/clear", worker));

    String type = "{'kind':'TYPE','name':'" + TYPE + "'}";
    expectMissing(Verb.PAUSE, post(Role.WORKER, "/api/pause/set", type));
    expectMissing(Verb.PAUSE, post(Role.WORKER, "/api/pause/clear", type));
    expectOk(post(Role.OPERATOR, "/api/pause/set", type));
    expectOk(post(Role.OPERATOR, "/api/pause/clear", type));
  }

  @Test
  void operatorClonesTasksAndMakesNoOthers() {
    Answer created =
        post(
            Role.SUBMITTER,
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'" + TYPE + "','taskStage':'s'}}");
    expectOk(created);
    String task = "{'taskId':'" + created.result().path("taskId").asString() + "'";

    expectOk(post(Role.OPERATOR, "/api/task/clone", task + ",'priority':3}"));
    for (String other : List.of("'taskContext':'x'", "'taskStage':'t'", "'userId':'v'")) {
      expectMissing(
          Verb.TASK_CREATE, post(Role.OPERATOR, "/api/task/clone", task + "," + other + "}"));
      expectOk(post(Role.ADMIN, "/api/task/clone", task + "," + other + "}"));
    }
  }

  @Test
  void operatorChangesTasksAndReportsNone() {
    Answer created =
        post(
            Role.SUBMITTER,
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'" + TYPE + "','taskStage':'s'}}");
    expectOk(created);
    String id = created.result().path("taskId").asString();

    expectOk(post(Role.OPERATOR, "/api/task/set_task", "{'taskId':'" + id + "','priority':9}"));
    expectMissing(
        Verb.WORK_REPORT,
        post(
            Role.OPERATOR,
            "/api/task/set_task",
            "{'taskId':'" + id + "','workerId':'w','leaseEpoch':1,'outcome':'SUCCESS'}"));
  }

  /**
   * Each field of an update needs the verb of the call that sets it alone; a context and a log are
   * not even compared for who may not read them.
   */
  @ParameterizedTest
  @CsvSource({
    "userId, 'v', TASK_CREATE",
    "taskStage, 't', TASK_CREATE",
    "taskContext, 'c', TASK_CREATE",
    "scheduleLog, '{}', TASK_CREATE",
    "maxRetryNum, 77, TASK_CREATE",
    "maxRetryInterval, 77, TASK_CREATE",
    "crtRetryNum, 1, TASK_RETRY",
    "priority, 9, TASK_STEER",
    "orderTime, 1795276800000, TASK_STEER",
    "status, 4, TASK_FORCE"
  })
  void fieldOfAnUpdateNeedsTheVerbOfTheCallThatSetsIt(String field, String value, Verb verb) {
    for (Role role : List.of(Role.OPERATOR, Role.WORKER, Role.ADMIN)) {
      Answer answer = update(role, create(), field, value);
      if (role.verbs().contains(verb)) {
        expectOk(answer);
      } else {
        expectMissing(verb, answer);
      }
    }
  }

  @Test
  void allFieldsOfAnUpdateAreInTheTable() throws NoSuchMethodException {
    String[] rows =
        getClass()
            .getDeclaredMethod(
                "fieldOfAnUpdateNeedsTheVerbOfTheCallThatSetsIt",
                String.class,
                String.class,
                Verb.class)
            .getAnnotation(CsvSource.class)
            .value();
    assertThat(Stream.of(rows).map(row -> row.substring(0, row.indexOf(','))).distinct())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(TaskUpdate.class.getRecordComponents())
                .map(RecordComponent::getName)
                .filter(name -> !name.equals("id"))
                .toList());
  }

  /** What its report could set, but for the user. */
  @Test
  void workerUpdatesWhatWasHeld() {
    String id = create();
    expectOk(post(Role.WORKER, HOLD, "{'taskType':'" + TYPE + "','limit':1000}"));
    for (String set :
        List.of("'taskContext':'c'", "'taskStage':'t'", "'scheduleLog':'{}'", "'priority':5")) {
      expectOk(post(Role.WORKER, "/api/task/set_task", "{'taskId':'" + id + "'," + set + "}"));
    }
    expectOk(update(Role.WORKER, id, "userId", "u"));
    expectMissing(Verb.TASK_CREATE, update(Role.WORKER, id, "userId", "v"));
    expectMissing(Verb.TASK_CREATE, update(Role.OPERATOR, id, "taskContext", "x"));
    expectMissing(Verb.TASK_CREATE, update(Role.OPERATOR, create(), "taskContext", "mine"));
  }

  @Test
  void updateOfAFinalTaskTellsNothingOfItsContext() {
    String id = create();
    expectOk(update(Role.ADMIN, id, "status", "4"));
    String same = "{'taskId':'" + id + "','status':4,'taskContext':'mine'}";
    String other = "{'taskId':'" + id + "','status':4,'taskContext':'other'}";

    expectOk(post(Role.WORKER, "/api/task/set_task", same));
    assertThat(post(Role.WORKER, "/api/task/set_task", other).code()).isEqualTo(8051);
    Answer ofSame = post(Role.OPERATOR, "/api/task/set_task", same);
    assertThat(ofSame.code()).isEqualTo(8051);
    assertThat(ofSame.msg()).isEqualTo(post(Role.OPERATOR, "/api/task/set_task", other).msg());
    expectOk(update(Role.OPERATOR, id, "status", "4"));
  }

  /** Of each call that takes the id of a task, also of those to come. */
  @Test
  void onlyTheServerWritesTasksOfItsOwnTypes() {
    Set<String> accepting = new TreeSet<>();
    controllers
        .getHandlerMethods()
        .forEach(
            (route, method) -> {
              Takes takes = method.getMethodAnnotation(Takes.class);
              Needs needs = method.getMethodAnnotation(Needs.class);
              if (takes == null || needs == null || !takesTask(takes)) {
                return;
              }
              String path = route.getPatternValues().iterator().next();
              if (Stream.of(needs.value()).noneMatch(verb -> verb.name().endsWith("_READ"))
                  && !refusesReserved(path)) {
                accepting.add(method.getMethod().getName());
              }
            });
    assertThat(accepting)
        .as("acts on deliveries that write none of their texts")
        .containsExactlyInAnyOrder(
            "cancel",
            "expireLease",
            "pause",
            "reschedule",
            "restart",
            "resume",
            "retry",
            "runNow",
            "setStatus",
            "setWorkers");
  }

  private static boolean takesTask(Takes takes) {
    return Stream.of(takes.shape())
        .flatMap(shape -> Stream.of(shape.getRecordComponents()))
        .anyMatch(part -> Set.of("taskId", "reports").contains(part.getName()));
  }

  private boolean refusesReserved(String path) {
    String report = "{'taskId':'1_flow_webhook_task_1','workerId':'w','leaseEpoch':1}";
    Answer answer =
        post(
            Role.ADMIN,
            path,
            report.replace("}", ",'taskType':'" + TYPE + "','reports':[" + report + "]}"));
    return answer.http().body().contains(TaskFields.RESERVED_RULE);
  }

  @Test
  void nobodyStoresForTasksOfTheServer() {
    Answer answer =
        wire.send(
            wire.request("/api/store/1_flow_webhook_task_1/s/1/n?workerId=w")
                .header("Authorization", "Bearer " + KeyedServer.KEY)
                .PUT(BodyPublishers.ofString("x")));
    assertThat(answer.code()).isEqualTo(8020);
    assertThat(answer.http().body()).contains(TaskFields.RESERVED_RULE);
  }

  private String create() {
    Answer created =
        post(
            Role.SUBMITTER,
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'"
                + TYPE
                + "','taskStage':'s','taskContext':'mine'}}");
    expectOk(created);
    return created.result().path("taskId").asString();
  }

  private Answer update(Role role, String id, String field, String value) {
    return post(
        role, "/api/task/set_task", "{'taskId':'%s','%s':'%s'}".formatted(id, field, value));
  }
}
