package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Every row of the contract, as curl would send it, in each of the forms that it allows. */
@RunningServer
class WireIT {

  private static final AtomicInteger TYPES = new AtomicInteger();

  @LocalServerPort int port;
  @Autowired JdbcClient jdbc;

  private Wire wire;
  private String type;

  @BeforeEach
  void newType() {
    wire = new Wire(port);
    type = "wire" + TYPES.incrementAndGet();
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + type + "'}"));
  }

  @Test
  void pathsOfOldClientsAreNoRoutesUnlessTheyAreSwitchedOn() {
    assertRefused(wire.get("/task/hold_task?task_type=" + type + "&status=1&limit=1"), 404, 8020);
    assertRefused(wire.post("/task/create_task", "{'taskData':{}}"), 404, 8020);
    assertRefused(wire.get("/task_schedule_cfg/list"), 404, 8020);
  }

  // ---- configuration

  @Test
  void typeInsertedByTheDocumentedStatementIsListedAndUsable() {
    jdbc.sql(
            "insert into t_schedule_cfg(task_type, schedule_limit, schedule_interval,"
                + " max_processing_time, max_retry_num, retry_interval)"
                + " values ('Lark', 100, 10, 30, 3, 10);")
        .update();

    for (Answer list :
        List.of(
            wire.get("/api/task_schedule_cfg/list"),
            wire.post("/api/task_schedule_cfg/list"),
            wire.post("/api/task_schedule_cfg/list", "{}"),
            wire.postForm("/api/task_schedule_cfg/list", Map.of()))) {
      JsonNode lark = typeOf(list, "Lark");
      assertThat(lark.propertyNames())
          .containsExactly(
              "task_type",
              "schedule_limit",
              "schedule_interval",
              "max_processing_time",
              "max_retry_num",
              "retry_interval",
              "max_retry_interval",
              "max_unexpected_retries",
              "lease_seconds",
              "max_delivery",
              "roll_threshold",
              "retention_days",
              "max_executing",
              "rate_limit",
              "user_rate_limit",
              "min_worker_version",
              "paused",
              "events",
              "sealed",
              "create_time",
              "modify_time");
      assertThat(lark.path("schedule_limit").asInt()).isEqualTo(100);
      assertThat(lark.path("max_retry_interval").isNull()).isTrue();
      assertThat(lark.path("create_time").asLong()).isGreaterThan(1_600_000_000_000L);
    }
    assertThat(create("'taskType':'LARK','taskStage':'sendmsg'")).endsWith("_lark_task_1");
  }

  @Test
  void listAsksTheDatabaseUnlessAnOlderAnswerWillDo() {
    String path = "/api/task_schedule_cfg/list";
    ok(wire.post(path));
    for (String limit : List.of("11", "12", "13")) {
      jdbc.sql("UPDATE t_schedule_cfg SET schedule_limit = ? WHERE task_type = ?")
          .params(limit, type)
          .update();
      assertThat(typeNow().path("schedule_limit").asString()).isEqualTo(limit);
    }

    jdbc.sql("UPDATE t_schedule_cfg SET schedule_limit = 14 WHERE task_type = ?")
        .param(type)
        .update();
    Answer older = wire.post(path, "{'maxAgeMs':60000}");
    assertThat(typeOf(older, type).path("schedule_limit").asInt()).isIn(13, 14);
    assertThat(typeNow().path("schedule_limit").asInt()).isEqualTo(14);
    assertRefused(wire.get(path + "?maxAgeMs=60001"), 400, 8020);
  }

  @Test
  void saveTakesEveryForm() {
    String path = "/api/task_schedule_cfg/save";
    Answer saved = wire.post(path, "{'task_type':'" + type + "','schedule_limit':7}");
    assertThat(saved.body().toString()).isEqualTo("{\"msg\":\"ok\",\"code\":0,\"result\":null}");
    assertThat(typeNow().path("schedule_limit").asInt()).isEqualTo(7);

    ok(wire.post(path, "{'taskType':'" + type.toUpperCase(Locale.ROOT) + "','scheduleLimit':'8'}"));
    assertThat(typeNow().path("schedule_limit").asInt()).isEqualTo(8);

    ok(wire.postForm(path, Map.of("task_type", type, "schedule_limit", "9")));
    assertThat(typeNow().path("schedule_limit").asInt()).isEqualTo(9);

    ok(wire.post(path + "?task_type=" + type + "&max_retry_interval=60"));
    assertThat(typeNow().path("schedule_limit").asInt()).isEqualTo(9);
    assertThat(typeNow().path("max_retry_interval").asInt()).isEqualTo(60);

    ok(wire.post(path, "{'task_type':'" + type + "','max_retry_interval':null}"));
    assertThat(typeNow().path("max_retry_interval").isNull()).isTrue();
  }

  @Test
  void limitOfUnexpectedFailuresIsTakenAwayByNull() {
    String path = "/api/task_schedule_cfg/save";
    assertThat(typeNow().path("max_unexpected_retries").isNull()).isTrue();
    ok(wire.post(path, "{'task_type':'" + type + "','max_unexpected_retries':2}"));
    assertThat(typeNow().path("max_unexpected_retries").asInt()).isEqualTo(2);
    ok(wire.post(path, "{'task_type':'" + type + "','max_unexpected_retries':null}"));
    assertThat(typeNow().path("max_unexpected_retries").isNull()).isTrue();
  }

  @Test
  void unexpectedFailuresAreCountedApartWhereTheyHaveALimit() {
    String id = create("'taskStage':'s','maxRetryNum':0,'maxUnexpectedRetries':1");
    hold("&workerId=w1&limit=1");
    ok(
        report(
            id,
            "'outcome':'RETRY','unexpected':true,'localRetries':3,'errMsg':'x','retryAfterMs':0"));
    JsonNode task = task(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("crtRetryNum").asInt()).isZero();
    assertThat(task.path("unexpectedNum").asInt()).isEqualTo(1);
    assertThat(task.path("maxUnexpectedRetries").asInt()).isEqualTo(1);
    assertThat(task.path("scheduleLog").asString()).contains("\"localRetries\":3");
  }

  @Test
  void rerunTakesTheLimitOfUnexpectedFailuresOfItsBodyAndCountsAnew() {
    String body = "'taskStage':'s','idempotencyKey':'k','onDuplicate':'RERUN','maxRetryNum':0,";
    String id = create(body + "'maxUnexpectedRetries':1");
    hold("&workerId=w1&limit=1");
    ok(report(id, "'outcome':'RETRY','unexpected':true,'retryAfterMs':0"));
    hold("&workerId=w1&limit=1");
    ok(report(id, 2, "w1", "'outcome':'FAIL'"));

    assertThat(create(body + "'maxUnexpectedRetries':2")).isEqualTo(id);

    JsonNode task = task(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("unexpectedNum").asInt()).isZero();
    assertThat(task.path("maxUnexpectedRetries").asInt()).isEqualTo(2);
  }

  @Test
  void badFieldsOfAFailureAreAllNamed() {
    String id = create("'taskStage':'s'");
    hold("&workerId=w1&limit=1");
    Answer refused =
        report(id, "'outcome':'RETRY','unexpected':'perhaps','localRetries':-1,'retryAfterMs':-1");
    assertRefused(refused, 400, 8020);
    assertThat(refused.body().toString()).contains("unexpected", "localRetries", "retryAfterMs");
  }

  @Test
  void holdOfAResidentTypeNamesItsWorker() {
    String save = "/api/task_schedule_cfg/save";
    ok(wire.post(save, "{'task_type':'" + type + "','max_processing_time':946080000}"));
    assertRefused(
        wire.post(save, "{'task_type':'" + type + "','max_processing_time':946080001}"), 400, 8020);
    create("'taskStage':'s'");

    for (String more : List.of("", ",'reports':[]", ",'waitMs':1000")) {
      Answer refused = wire.post("/api/task/hold_task", "{'taskType':'" + type + "'" + more + "}");
      assertRefused(refused, 400, 8020);
      assertThat(refused.body().toString()).contains("workerId");
    }
    Answer held = wire.post("/api/task/hold_task", "{'taskType':'" + type + "','workerId':'w1'}");
    ok(held);
    assertThat(held.result().path("taskList").get(0).path("leaseMs").asLong())
        .isBetween(20_000L, 30_000L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"expected_modify_time", "expectedModifyTime"})
  void saveOfWhatAnotherHasChangedIsRefused(String expected) {
    String save = "/api/task_schedule_cfg/save";
    long seen = typeNow().path("modify_time").asLong();
    String form = "{'task_type':'%s','schedule_limit':%s,'%s':%s}";
    ok(wire.post(save, form.formatted(type, 21, expected, seen)));

    Answer refused = wire.post(save, form.formatted(type, 22, expected, seen));

    assertRefused(refused, 409, 8053);
    assertThat(refused.msg())
        .contains("" + seen)
        .contains(typeNow().path("modify_time").asString());
    assertThat(typeNow().path("schedule_limit").asInt()).isEqualTo(21);
    assertRefused(wire.post(save, form.formatted(type + "_new", 1, expected, seen)), 409, 8053);
    ok(wire.post(save, form.formatted(type + "_new", 1, expected, 0)));
    assertRefused(wire.post(save, form.formatted(type, 22, expected, -1)), 400, 8020);
  }

  @Test
  void whatWasListedCanBeSaved() {
    ok(wire.post("/api/task_schedule_cfg/save", typeNow().toString()));
  }

  @Test
  void saveNamesEveryBadAndEveryUnknownField() {
    Answer refused =
        wire.post(
            "/api/task_schedule_cfg/save",
            "{'task_type':'x_task_3','schedule_limit':0,'lease_seconds':'x','paused':2,'events':3,'color':1}");
    assertRefused(refused, 400, 8020);
    assertThat(refused.badFields())
        .containsExactlyInAnyOrder(
            "task_type", "schedule_limit", "lease_seconds", "paused", "events", "color");
  }

  // ---- create and read

  @ParameterizedTest
  @ValueSource(strings = {"createTask", "create_task"})
  void createTakesBothSpellings(String path) {
    Answer camel =
        wire.post(
            "/api/task/" + path,
            "{'taskData':{'userId':'u','taskType':'%s','taskStage':'s','taskContext':'c'}}"
                .formatted(type));
    Answer snake =
        wire.post(
            "/api/task/" + path,
            "{'task_data':{'user_id':'u','task_type':'%s','task_stage':'s','task_context':'c'}}"
                .formatted(type));
    Answer form =
        wire.postForm(
            "/api/task/" + path,
            Map.of(
                "taskData.user_id", "u",
                "taskData.task_type", type,
                "taskData.taskStage", "s",
                "taskData.taskContext", "c"));
    for (Answer answer : List.of(camel, snake, form)) {
      ok(answer);
      String id = answer.result().path("taskId").asString();
      assertThat(id).matches("[1-9][0-9]*_" + type + "_task_1");
      assertThat(answer.result().propertyNames()).containsExactly("taskId", "outcome");
      assertThat(answer.result().path("outcome").asString()).isEqualTo("CREATED");
      assertThat(task(id).path("taskContext").asString()).isEqualTo("c");
    }
  }

  @Test
  void newTaskIsAnsweredWithEveryField() {
    String id =
        create(
            "'taskStage':'split','taskContext':'c','scheduleLog':'log','priority':60,"
                + "'maxRetryNum':0,'maxRetryInterval':9");
    JsonNode task = task(id);

    assertThat(task.propertyNames())
        .containsExactly(
            "userId",
            "taskId",
            "taskType",
            "taskStage",
            "status",
            "priority",
            "orderTime",
            "crtRetryNum",
            "maxRetryNum",
            "maxRetryInterval",
            "scheduleLog",
            "taskContext",
            "createTime",
            "modifyTime",
            "leaseEpoch",
            "deliveryCount");
    assertThat(task.path("taskId").isString()).isTrue();
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("scheduleLog").asString()).isEqualTo("log");
    assertThat(task.path("priority").asInt()).isEqualTo(60);
    assertThat(task.path("orderTime").asLong())
        .isEqualTo(task.path("createTime").asLong() - 60_000);
    assertThat(task.path("maxRetryNum").asInt()).isZero();
    assertThat(task.path("maxRetryInterval").asInt()).isEqualTo(9);
  }

  @Test
  void delayAndMomentSetTheOrderTimeExactly() {
    JsonNode delayed = task(create("'taskStage':'s','delayMs':5000,'priority':60"));
    assertThat(delayed.path("orderTime").asLong())
        .isEqualTo(delayed.path("createTime").asLong() + 5000);

    JsonNode timed = task(create("'taskStage':'s','runAt':1234567890123"));
    assertThat(timed.path("orderTime").asLong()).isEqualTo(1234567890123L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"createTasks", "create_tasks"})
  void createsManyInOrderOrNone(String path) {
    String good = "{'userId':'u%s','taskType':'" + type + "','taskStage':'s','taskContext':''}";
    String list = String.join(",", IntStream.range(0, 1000).mapToObj(good::formatted).toList());
    Answer created = wire.post("/api/task/" + path, "{'taskDataList':[" + list + "]}");
    ok(created);
    List<String> ids = texts(created.result().path("taskIds"));
    assertThat(ids).hasSize(1000).doesNotHaveDuplicates();
    assertThat(texts(created.result().path("outcomes"))).hasSize(1000).containsOnly("CREATED");
    assertThat(task(ids.get(999)).path("userId").asString()).isEqualTo("u999");

    Answer refused =
        wire.post(
            "/api/task/" + path,
            "{'task_data_list':[" + good.formatted(1) + ",{'userId':'u','taskType':'no such'}]}");
    assertRefused(refused, 400, 8020);
    assertThat(refused.badFields())
        .containsExactlyInAnyOrder("taskDataList[1].taskType", "taskDataList[1].taskStage");
    assertThat(count()).isEqualTo(1000);
  }

  @Test
  void sameKeyAndBodyGiveTheSameTask() {
    String body = "'taskStage':'s','taskContext':'c','idempotencyKey':'k 1'";
    String id = create(body);

    assertThat(create(body)).isEqualTo(id);
    assertThat(create("'idempotency_key':'k 1','task_context':'c','task_stage':'s'")).isEqualTo(id);
    Answer other = tryCreate("'taskStage':'s','taskContext':'d','idempotencyKey':'k 1'");
    assertRefused(other, 409, 8052);
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void createSaysWhatToDoIfItsKeyIsInUse() {
    String body = "'taskStage':'s','idempotencyKey':'k','taskContext':'%s','onDuplicate':'%s'";
    String id = create(body.formatted("a", "SAME"));
    for (String[] expected :
        new String[][] {{"a", "SAME", "EXISTING"}, {"b", "KEEP", "KEPT"}, {"b", "RERUN", "KEPT"}}) {
      Answer answer = tryCreate(body.formatted(expected[0], expected[1]));
      assertThat(answer.result().path("outcome").asString()).isEqualTo(expected[2]);
      assertThat(answer.result().path("taskId").asString()).isEqualTo(id);
    }
    Answer replaced =
        tryCreate(
            "'task_stage':'s','idempotency_key':'k','task_context':'c','on_duplicate':'REPLACE',"
                + "'key_ms':2000,'key_until_done':1,'delay_ms':5000");
    assertThat(replaced.result().path("outcome").asString()).isEqualTo("REPLACED");
    assertThat(task(id).path("taskContext").asString()).isEqualTo("c");
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void optionsOfAKeyAreCheckedAndNeedAKey() {
    Answer without =
        tryCreate("'taskStage':'s','onDuplicate':'KEEP','keyMs':1000,'keyUntilDone':1");
    assertRefused(without, 400, 8020);
    assertThat(without.badFields())
        .containsExactlyInAnyOrder(
            "taskData.onDuplicate", "taskData.keyMs", "taskData.keyUntilDone");
    Answer bad =
        tryCreate(
            "'taskStage':'s','idempotencyKey':'k','onDuplicate':'keep','keyMs':999,'keyUntilDone':2");
    assertRefused(bad, 400, 8020);
    assertThat(bad.badFields())
        .containsExactlyInAnyOrder(
            "taskData.onDuplicate", "taskData.keyMs", "taskData.keyUntilDone");
  }

  @Test
  void readOfATaskSaysWhatItNeeds() {
    Answer answer = wire.get("/api/task/getTask");
    assertRefused(answer, 400, 8020);
    assertThat(answer.msg())
        .isEqualTo("taskId is required, or taskType and idempotencyKey in its place");
    assertRefused(wire.get("/api/task/getTask?taskId="), 400, 8020);
  }

  @Test
  void taskIsReadByItsKey() {
    String id = create("'taskStage':'s','idempotencyKey':'k 1'");
    for (Answer answer :
        List.of(
            wire.get("/api/task/getTask?taskType=" + type + "&idempotencyKey=k%201"),
            wire.get("/api/task/get_task?task_type=" + type + "&idempotency_key=k%201"),
            wire.post("/api/task/getTask", "{'taskType':'" + type + "','idempotencyKey':'k 1'}"))) {
      ok(answer);
      assertThat(answer.result().path("taskData").path("taskId").asString()).isEqualTo(id);
    }
    String byKey = "/api/task/getTask?taskType=%s&idempotencyKey=%s";
    assertRefused(wire.get(byKey.formatted(type, "other")), 404, 8035);
    assertRefused(wire.get(byKey.formatted("nosuchtype", "k")), 404, 8042);
    assertRefused(wire.get("/api/task/getTask?idempotencyKey=k"), 400, 8020);
    assertThat(wire.get(byKey.formatted(type, "k") + "&taskId=" + id).badFields())
        .containsExactly("taskId");
  }

  @Test
  void getTaskTakesEveryForm() {
    String id = create("'taskStage':'s'");
    for (String path : List.of("/api/task/getTask", "/api/task/get_task")) {
      for (Answer answer :
          List.of(
              wire.get(path + "?taskId=" + id),
              wire.get(path + "?task_id=" + id),
              wire.post(path + "?taskId=" + id),
              wire.post(path, "{'taskId':'" + id + "'}"),
              wire.post(path, "{'task_id':'" + id + "'}"),
              wire.postForm(path, Map.of("task_id", id)))) {
        ok(answer);
        assertThat(answer.result().propertyNames()).containsExactly("taskData");
        assertThat(answer.result().path("taskData").path("taskId").asString()).isEqualTo(id);
      }
    }
  }

  @Test
  void taskThatIsNotThereIs8035AndWhatIsNoIdIs8020() {
    create("'taskStage':'s'");
    for (String id :
        List.of("1_" + type + "_task_1", "1_" + type + "_task_77", "1_nosuchtype_task_1")) {
      assertRefused(wire.get("/api/task/getTask?taskId=" + id), 404, 8035);
    }
    for (String id : List.of("", "x", "1", "1_Lark_task_1", "0_lark_task_1", "1_lark_task_0")) {
      assertRefused(wire.get("/api/task/getTask?taskId=" + id), 400, 8020);
    }
  }

  @ParameterizedTest
  @CsvSource({"getTaskList, taskType", "get_task_list, task_type"})
  void listOfATypeIsPagedNewestFirst(String path, String typeField) {
    List<String> ids = Stream.generate(() -> create("'taskStage':'s'")).limit(5).toList();
    List<String> newestFirst = ids.stream().sorted((a, b) -> b.compareTo(a)).toList();
    String query = "/api/task/" + path + "?" + typeField + "=" + type;

    Answer first = wire.get(query + "&limit=3");
    ok(first);
    assertThat(first.result().propertyNames()).containsExactly("taskList", "nextCursor");
    assertThat(idsIn(first, "taskList")).isEqualTo(newestFirst.subList(0, 3));

    String cursor = first.result().path("nextCursor").asString();
    Answer second = wire.post(query, "{'limit':3,'cursor':'" + cursor + "'}");
    assertThat(idsIn(second, "taskList")).isEqualTo(newestFirst.subList(3, 5));
    assertThat(second.result().path("nextCursor").isNull()).isTrue();

    assertThat(idsIn(wire.postForm("/api/task/" + path, Map.of(typeField, type)), "taskList"))
        .isEqualTo(newestFirst);
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "1, 1", "2, 1", "3, 2", "4, 0", "31, 2", "'', 2"})
  void statusFiltersByItsBits(String status, int found) {
    create("'taskStage':'s'");
    create("'taskStage':'s'");
    hold("&limit=1");

    Answer list = wire.get("/api/task/getTaskList?taskType=" + type + "&status=" + status);
    assertThat(idsIn(list, "taskList")).hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({"getUserTaskList, userId, statusList", "get_user_task_list, user_id, status_list"})
  void listOfAUserCoversEveryType(String path, String userField, String statusField) {
    String user = "user-" + type + path.length();
    String here = create("'taskStage':'s','userId':'" + user + "'");
    String otherType = type + "b";
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + otherType + "'}"));
    String there = create("'taskStage':'s','userId':'" + user + "','taskType':'" + otherType + "'");
    String query = "/api/task/" + path + "?" + userField + "=" + user;

    assertThat(idsIn(wire.get(query), "taskList")).containsExactlyInAnyOrder(here, there);
    hold("");
    for (String statuses : List.of("2", "2,4", "6", "2%2C+8")) {
      assertThat(idsIn(wire.get(query + "&" + statusField + "=" + statuses), "taskList"))
          .containsExactly(here);
    }
    Answer json =
        wire.post(
            "/api/task/" + path, "{'%s':'%s','%s':[1]}".formatted(userField, user, statusField));
    assertThat(idsIn(json, "taskList")).containsExactly(there);

    Answer page = wire.get(query + "&limit=1");
    Answer next =
        wire.get(query + "&limit=1&cursor=" + page.result().path("nextCursor").asString());
    assertThat(Stream.of(page, next).flatMap(a -> idsIn(a, "taskList").stream()))
        .containsExactlyInAnyOrder(here, there);
  }

  // ---- hold

  @ParameterizedTest
  @ValueSource(strings = {"hold_task", "holdTask"})
  void holdTakesEveryForm(String path) {
    String call = "/api/task/" + path;
    List<Answer> answers =
        Stream.<Supplier<Answer>>of(
                () -> wire.get(call + "?taskType=" + type + "&status=1&limit=1"),
                () -> wire.post(call + "?task_type=" + type + "&status=0&limit=1"),
                () -> wire.post(call, "{'taskType':'" + type + "','limit':1,'worker_id':'w'}"),
                () -> wire.postForm(call, Map.of("taskType", type, "limit", "1", "workerId", "w")))
            .map(
                send -> {
                  create("'taskStage':'s'");
                  return send.get();
                })
            .toList();
    for (Answer answer : answers) {
      ok(answer);
      assertThat(answer.result().propertyNames()).containsExactly("taskList");
      assertThat(idsIn(answer, "taskList")).hasSize(1);
    }
  }

  @Test
  void heldTaskIsAnsweredAsItIsAfterTheHold() {
    String id = create("'taskStage':'s'");
    JsonNode held = hold("&workerId=w1").result().path("taskList").get(0);

    assertThat(held.path("taskId").asString()).isEqualTo(id);
    assertThat(held.path("status").asInt()).isEqualTo(2);
    assertThat(held.path("leaseEpoch").asInt()).isEqualTo(1);
    assertThat(held.path("leaseMs").asLong()).isBetween(25_000L, 30_000L);
    assertThat(held.path("workerId").asString()).isEqualTo("w1");
    assertThat(held.path("traceId").asString()).matches("[0-9a-f]{32}");
  }

  @Test
  void holdTakesTheLimitTheTypeAndTheStagesThatItNames() {
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + type + "','schedule_limit':2}"));
    for (String stage : List.of("a", "b", "c", "c", "c", "c")) {
      create("'taskStage':'" + stage + "'");
    }
    assertThat(stagesOf(hold("&stages=a,b"))).containsExactlyInAnyOrder("a", "b");
    assertThat(stagesOf(hold("&stages=a"))).isEmpty();
    assertThat(stagesOf(hold(""))).hasSize(2);
    Answer json =
        wire.post("/api/task/hold_task", "{'taskType':'" + type + "','stages':['c'],'limit':0}");
    assertThat(stagesOf(json)).hasSize(2);
  }

  @Test
  void holdThatPrefersStagesLeavesTheOthersToOthersForAWhile() {
    create("'taskStage':'b'");
    create("'taskStage':'a'");
    String choosy = "&stages=a,b,c&prefer=a,c&others_after_ms=10000";
    assertThat(stagesOf(hold(choosy + "&limit=1"))).containsExactly("a");
    assertThat(stagesOf(hold("&stages=a,b,c&prefer=a&limit=1"))).containsExactly("b");
    create("'taskStage':'b','priority':60"); // has been due for a minute, as it were
    assertThat(stagesOf(hold(choosy))).containsExactly("b");
    create("'taskStage':'a'");
    String body = "{'taskType':'%s','prefer':['b'],'othersAfterMs':0}".formatted(type);
    assertThat(stagesOf(wire.post("/api/task/hold_task", body))).containsExactly("a");
  }

  @Test
  void sameHoldIdGetsTheSameTasksAgain() {
    create("'taskStage':'s'");
    create("'taskStage':'s'");
    Answer first = hold("&workerId=w1&holdId=h1&limit=1");
    Answer again = hold("&workerId=w1&holdId=h1&limit=1");

    assertThat(idsIn(again, "taskList")).isEqualTo(idsIn(first, "taskList")).hasSize(1);
    assertThat(again.result().at("/taskList/0/leaseEpoch").asInt()).isEqualTo(1);
    assertThat(idsIn(hold("&workerId=w1&holdId=h2&limit=1"), "taskList"))
        .doesNotContainAnyElementsOf(idsIn(first, "taskList"));
  }

  @Test
  void parkedHoldIsWokenByACreate() {
    CompletableFuture<Answer> parked =
        CompletableFuture.supplyAsync(() -> hold("&workerId=w1&waitMs=20000"), OtherThread::start);
    create("'taskStage':'other','delayMs':3600000");
    String id = create("'taskStage':'s'");

    assertThat(idsIn(parked.join(), "taskList")).containsExactly(id);
  }

  @Test
  void parkedHoldEndsEmptyWhenItsTimeIsOver() {
    long begin = System.nanoTime();
    assertThat(idsIn(hold("&waitMs=300"), "taskList")).isEmpty();
    assertThat((System.nanoTime() - begin) / 1_000_000).isBetween(290L, 10_000L);
  }

  @Test
  void pausedTypeGivesNothingButTakesTasks() {
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + type + "','paused':1}"));
    create("'taskStage':'s'");
    assertThat(idsIn(hold(""), "taskList")).isEmpty();
  }

  @Test
  void pauseOfATaskOrAJobHasNoEnd() {
    String until = "'until':4102444800000";
    Answer ofTask =
        wire.post(
            "/api/task/pause", "{'taskId':'" + create("'taskStage':'s'") + "'," + until + "}");
    assertRefused(ofTask, 400, 8020);
    assertThat(ofTask.badFields()).containsExactly("until");
    Answer ofJob = wire.post("/api/job/pause", "{'jobId':'1'," + until + "}");
    assertRefused(ofJob, 400, 8020);
    assertThat(ofJob.badFields()).containsExactly("until");
  }

  // ---- reports

  @ParameterizedTest
  @ValueSource(strings = {"set_task", "setTask"})
  void reportTakesBothSpellings(String path) {
    String camel = heldTask();
    Answer accepted =
        wire.post(
            "/api/task/" + path,
            "{'taskId':'%s','workerId':'w1','leaseEpoch':1,'outcome':'SUCCESS','result':'42',"
                    .formatted(camel)
                + "'reportId':'r1'}");
    assertThat(accepted.body().toString())
        .isEqualTo("{\"msg\":\"ok\",\"code\":0,\"result\":{\"outcome\":\"ACCEPTED\"}}");
    assertThat(task(camel).path("status").asInt()).isEqualTo(4);
    assertThat(task(camel).path("result").asString()).isEqualTo("42");

    Answer again =
        wire.post(
            "/api/task/" + path,
            "{'task_id':'%s','worker_id':'w1','lease_epoch':1,'outcome':'SUCCESS','report_id':'r1'}"
                .formatted(camel));
    ok(again);
    assertThat(again.result().path("outcome").asString()).isEqualTo("ALREADY_DONE");
  }

  @Test
  void nextStageHandsBackWithContextAndPriority() {
    String id = heldTask();
    ok(report(id, "'outcome':'NEXT_STAGE','taskStage':'next','taskContext':'ctx','priority':10"));
    JsonNode task = task(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("taskStage").asString()).isEqualTo("next");
    assertThat(task.path("taskContext").asString()).isEqualTo("ctx");
    assertThat(task.path("modifyTime").asLong() - task.path("orderTime").asLong())
        .isBetween(9_000L, 11_000L);
  }

  @Test
  void whatLooksLikeASecretIsKeptInNoMessage() {
    String key = "afk_3Qm81LtzGh_" + "0aB".repeat(16) + "x";
    String secrets = "AKIAIOSFODNN7EXAMPLE, Bearer 0123456789abcdef and " + key;
    for (String outcome : List.of("RETRY", "FAIL")) {
      String id = heldTask();
      ok(report(id, "'outcome':'%s','errMsg':'refused %s'".formatted(outcome, secrets)));
      assertThat(task(id).path("scheduleLog").asString())
          .contains("refused ‹redacted›, ‹redacted› and ‹redacted›");
    }
    String created = create("'taskStage':'s','scheduleLog':'%s'".formatted(secrets));
    String updated = create("'taskStage':'s'");
    ok(
        wire.post(
            "/api/task/set_task",
            "{'taskId':'%s','scheduleLog':'%s'}".formatted(updated, secrets)));
    for (String id : List.of(created, updated)) {
      assertThat(task(id).path("scheduleLog").asString())
          .isEqualTo("‹redacted›, ‹redacted› and ‹redacted›");
    }
  }

  @Test
  void failedAttemptIsCountedAndDelayed() {
    String id = heldTask();
    ok(report(id, "'outcome':'RETRY','errMsg':'" + "x".repeat(5_000) + "'"));
    JsonNode task = task(id);
    assertThat(task.path("crtRetryNum").asInt()).isEqualTo(1);
    assertThat(task.path("scheduleLog").asString()).contains("x".repeat(1_000));
    assertThat(task.path("scheduleLog").asString()).doesNotContain("x".repeat(1_001));

    String unkeepable = heldTask();
    ok(report(unkeepable, "'outcome':'RETRY','errMsg':'a\\u0000b\\ud800'"));
    assertThat(task(unkeepable).path("scheduleLog").asString()).contains("a\uFFFDb\uFFFD");

    String other = heldTask();
    ok(report(other, "'outcome':'RETRY','retryAfterMs':60000"));
    assertThat(task(other).path("orderTime").asLong() - task(other).path("modifyTime").asLong())
        .isBetween(59_000L, 60_000L);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "\"'outcome':'FAIL','errMsg':'no'\", 8, 1",
        "\"'outcome':'SNOOZE','delayMs':5000\", 1, 0",
        "'outcome':'RELEASE', 1, 0"
      })
  void otherOutcomes(String outcome, int status, int failures) {
    String id = heldTask();
    ok(report(id, outcome));
    assertThat(task(id).path("status").asInt()).isEqualTo(status);
    assertThat(task(id).path("crtRetryNum").asInt()).isEqualTo(failures);
  }

  @Test
  void reportOfALostLeaseIs8050AndOfAFinalTask8051() {
    String id = heldTask();
    assertRefused(report(id, 1, "w2", "'outcome':'SUCCESS'"), 409, 8050);
    assertRefused(report(id, 2, "w1", "'outcome':'SUCCESS'"), 409, 8050);
    ok(report(id, "'outcome':'SUCCESS'"));
    assertRefused(report(id, "'outcome':'FAIL','errMsg':''"), 409, 8051);
    assertRefused(report("1_" + type + "_task_1", "'outcome':'SUCCESS'"), 404, 8035);
  }

  @ParameterizedTest
  @ValueSource(strings = {"set_tasks", "setTasks"})
  void oneBadReportDoesNotSpoilTheOthers(String path) {
    String good = heldTask();
    String other = heldTask();
    String format = "{'taskId':'%s','workerId':'w1','leaseEpoch':%s,'outcome':'%s','result':'%s'}";
    Answer answer =
        wire.post(
            "/api/task/" + path,
            "{'reports':["
                + String.join(
                    ",",
                    format.formatted("nonsense", "1", "SUCCESS", ""),
                    format.formatted(good, "1", "SUCCESS", "done"),
                    format.formatted(other, "9", "SUCCESS", ""),
                    format.formatted(other, "1", "SUCCESS", "x".repeat(4_097)),
                    format.formatted(other, "1", "PERHAPS", ""),
                    format.formatted("1_" + type + "_task_1", "1", "SUCCESS", ""),
                    "7")
                + "]}");
    ok(answer);
    JsonNode outcomes = answer.result().path("outcomes");
    assertThat(outcomes.get(0).propertyNames()).containsExactly("taskId", "outcome", "code", "msg");
    assertThat(outcomes.valueStream().map(o -> o.path("code").asInt()))
        .containsExactly(8020, 0, 8050, 8060, 8020, 8035, 8020);
    assertThat(outcomes.valueStream().map(o -> o.path("outcome").asString()))
        .containsExactly(
            "REFUSED", "ACCEPTED", "REFUSED", "REFUSED", "REFUSED", "REFUSED", "REFUSED");
    assertThat(outcomes.get(0).path("taskId").asString()).isEqualTo("nonsense");
    assertThat(outcomes.get(1).path("taskId").asString()).isEqualTo(good);
    assertThat(task(good).path("status").asInt()).isEqualTo(4);
    assertThat(task(other).path("status").asInt()).isEqualTo(2);
  }

  @Test
  void reportCreatesTasksAndAnswersTheirIds() {
    String id = heldTask();
    String creates =
        "'outcome':'SUCCESS','reportId':'r','creates':[{'userId':'u','taskType':'%s','taskStage':'n'},"
                .formatted(type)
            + "{'user_id':'u','task_type':'%s','task_stage':'n','task_context':'c'}]"
                .formatted(type);

    Answer first = report(id, creates);

    ok(first);
    List<String> created = texts(first.result().path("created"));
    assertThat(created).hasSize(2);
    assertThat(task(created.get(1)).path("taskContext").asString()).isEqualTo("c");
    Answer again = report(id, creates);
    assertThat(again.result().path("outcome").asString()).isEqualTo("ALREADY_DONE");
    assertThat(texts(again.result().path("created"))).isEqualTo(created);
    String batch =
        "{'reports':[{'taskId':'%s','workerId':'w1','leaseEpoch':1,%s}]}".formatted(id, creates);
    JsonNode outcome = wire.post("/api/task/set_tasks", batch).result().path("outcomes").get(0);
    assertThat(texts(outcome.path("created"))).isEqualTo(created);
    assertThat(count()).isEqualTo(3);
  }

  @Test
  void badCreatesOfAReportAreNamedAndNothingIsWritten() {
    String id = heldTask();
    String good = "{'userId':'u','taskType':'" + type + "','taskStage':'n'}";

    Answer bad =
        report(
            id,
            "'outcome':'SUCCESS','creates':["
                + good
                + ",{'userId':'u','keyMs':1000,'workerIds':['']}]");
    assertRefused(bad, 400, 8020);
    assertThat(bad.badFields())
        .containsExactlyInAnyOrder(
            "creates[1].taskType",
            "creates[1].taskStage",
            "creates[1].keyMs",
            "creates[1].workerIds");
    for (String outcome : List.of("RETRY", "RELEASE", "SNOOZE")) {
      assertThat(
              report(id, "'outcome':'" + outcome + "','delayMs':1,'creates':[" + good + "]")
                  .badFields())
          .containsExactly("creates");
    }
    String many = String.join(",", Collections.nCopies(101, good));
    assertRefused(report(id, "'outcome':'SUCCESS','creates':[" + many + "]"), 400, 8020);
    assertRefused(
        report(
            id,
            "'outcome':'SUCCESS','creates':["
                + good
                + ","
                + good.replace(type, "nosuchtype")
                + "]"),
        404,
        8042);
    assertThat(task(id).path("status").asInt()).isEqualTo(2);
    assertThat(count()).isEqualTo(1);
  }

  @Test
  void reportsThatComeWithAHoldAreAnsweredWithItAndNotParked() {
    String first = heldTask();
    String reports =
        ",'reports':[{'taskId':'%s','workerId':'w1','leaseEpoch':1,'reportId':'r','outcome':'SUCCESS'},7]}"
            .formatted(first);
    String hold = "{'taskType':'" + type + "','workerId':'w1','waitMs':30000,'holdId':'%s'";

    long begin = System.nanoTime();
    Answer empty = wire.post("/api/task/hold_task", hold.formatted("h1") + reports);
    ok(empty);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    assertThat(empty.result().path("taskList").size()).isZero();
    assertThat(outcomesOf(empty)).containsExactly("ACCEPTED", "REFUSED");
    assertThat(task(first).path("status").asInt()).isEqualTo(4);

    String second = create("'taskStage':'s'");
    Answer held = wire.post("/api/task/hold_task", hold.formatted("h2") + reports);
    assertThat(held.result().path("taskList").get(0).path("taskId").asString()).isEqualTo(second);
    assertThat(outcomesOf(held)).containsExactly("ALREADY_DONE", "REFUSED");

    Answer without = wire.post("/api/task/hold_task", "{'taskType':'" + type + "'}");
    assertThat(without.result().propertyNames()).containsExactly("taskList");
    assertRefused(
        wire.post("/api/task/hold_task", "{'taskType':'" + type + "','reports':{}}"), 400, 8020);
  }

  @Test
  void holdOfAnUnknownTypeTakesNoReports() {
    String id = heldTask();
    String report = "{'taskId':'" + id + "','workerId':'w1','leaseEpoch':1,'outcome':'SUCCESS'}";

    Answer refused =
        wire.post("/api/task/hold_task", "{'taskType':'nosuch','reports':[" + report + "]}");

    assertRefused(refused, 404, 8042);
    assertThat(task(id).path("status").asInt()).isEqualTo(2);
  }

  @Test
  void reportsAreAnsweredEvenIfTheHoldFailsThatTookThemAlong() {
    String id = heldTask();
    String report = "{'taskId':'" + id + "','workerId':'w1','leaseEpoch':1,'outcome':'SUCCESS'}";
    String broken = type + "broken";
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + broken + "'}"));
    create("'taskType':'" + broken + "','taskStage':'s'");
    String table = "t_" + broken + "_task_1";

    jdbc.sql("RENAME TABLE " + table + " TO away").update();
    Answer held =
        wire.post(
            "/api/task/hold_task", "{'taskType':'" + broken + "','reports':[" + report + "]}");
    jdbc.sql("RENAME TABLE away TO " + table).update();

    ok(held);
    assertThat(held.result().path("taskList").size()).isZero();
    assertThat(outcomesOf(held)).containsExactly("ACCEPTED");
  }

  private static List<String> outcomesOf(Answer answer) {
    return answer
        .result()
        .path("outcomes")
        .valueStream()
        .map(outcome -> outcome.path("outcome").asString())
        .toList();
  }

  // ---- old clients

  @Test
  void oldClientHoldsAndHandsBackWithoutALease() {
    String id = create("'taskStage':'one','taskContext':'c1'");
    JsonNode held = hold("&status=1&limit=1").result().path("taskList").get(0);
    assertThat(held.path("leaseMs").asLong()).isBetween(25_000L, 30_000L);

    Answer handedBack =
        wire.post(
            "/api/task/set_task",
            "{'task_id':'%s','status':1,'task_stage':'two','task_context':'','priority':0,"
                    .formatted(id)
                + "'schedule_log':'mine','order_time':1700000000000}");
    assertThat(handedBack.body().toString())
        .isEqualTo("{\"msg\":\"ok\",\"code\":0,\"result\":null}");
    JsonNode task = task(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("taskStage").asString()).isEqualTo("two");
    assertThat(task.path("taskContext").asString()).isEqualTo("c1");
    assertThat(task.path("scheduleLog").asString()).isEqualTo("mine");
    assertThat(task.path("orderTime").asLong()).isEqualTo(1700000000000L);
  }

  @Test
  void oldUpdateTakesEveryForm() {
    String id = create("'taskStage':'s'");
    ok(wire.post("/api/task/setTask", "{'taskData':{'taskId':'" + id + "','taskStage':'a'}}"));
    assertThat(task(id).path("taskStage").asString()).isEqualTo("a");
    ok(wire.post("/api/task/set_task", "{'task_data':{'task_id':'" + id + "','task_stage':'b'}}"));
    assertThat(task(id).path("taskStage").asString()).isEqualTo("b");
    ok(wire.postForm("/api/task/set_task", Map.of("task_id", id, "taskStage", "c")));
    assertThat(task(id).path("taskStage").asString()).isEqualTo("c");
    ok(wire.postForm("/api/task/set_task", Map.of("taskData.task_id", id, "taskData.status", "4")));
    assertThat(task(id).path("status").asInt()).isEqualTo(4);
  }

  @Test
  void oldUpdateOfAHeldOrFinalTaskIsRefused() {
    String held = heldTask();
    assertRefused(
        wire.post("/api/task/set_task", "{'taskId':'" + held + "','status':4}"), 409, 8050);
    String done = create("'taskStage':'s'");
    ok(wire.post("/api/task/set_task", "{'taskId':'" + done + "','status':4}"));
    ok(wire.post("/api/task/set_task", "{'taskId':'" + done + "','status':4}"));
    assertRefused(
        wire.post("/api/task/set_task", "{'taskId':'" + done + "','status':1}"), 409, 8051);
    assertRefused(
        wire.post("/api/task/set_task", "{'taskId':'" + done + "','taskContext':'x'}"), 409, 8051);
  }

  // ---- heartbeat

  @Test
  void heartbeatTellsTheStateOfEachLease() {
    String mine = heldTask();
    String cancelled = heldTask();
    jdbc.sql("UPDATE t_" + type + "_task_1 SET status = 16 WHERE id = " + numberOf(cancelled))
        .update();
    Answer answer =
        wire.post(
            "/api/worker/heartbeat",
            "{'worker_id':'w1','tasks':[{'task_id':'%s','lease_epoch':1,'progress':40},"
                    .formatted(mine)
                + "{'taskId':'%s','leaseEpoch':2},".formatted(mine)
                + "{'taskId':'%s','leaseEpoch':1},".formatted(cancelled)
                + "{'taskId':'1_nowhere_task_1','leaseEpoch':1}]}");
    ok(answer);
    assertThat(answer.result().propertyNames()).containsExactly("tasks", "drain");
    assertThat(answer.result().path("drain").asBoolean()).isFalse();
    JsonNode tasks = answer.result().path("tasks");
    assertThat(tasks.get(0).propertyNames())
        .containsExactly("taskId", "leaseEpoch", "state", "leaseMs");
    assertThat(tasks.valueStream().map(t -> t.path("state").asString()))
        .containsExactly("EXTENDED", "LOST", "CANCEL", "LOST");
    assertThat(tasks.get(0).path("leaseMs").asLong()).isBetween(20_000L, 30_000L);
    assertThat(task(mine).path("progress").asInt()).isEqualTo(40);
    ok(wire.post("/api/worker/heartbeat", "{'workerId':'w1'}"));
    ok(wire.postForm("/api/worker/heartbeat", Map.of("worker_id", "w1")));
  }

  @Test
  void workerIsReadByItsId() {
    String path = "/api/worker/get";
    String worker = "w-" + type;
    assertRefused(wire.get(path + "?workerId=" + worker), 404, 8037);
    ok(
        wire.post(
            "/api/worker/heartbeat", "{'workerId':'%s','worker':{'host':'h'}}".formatted(worker)));
    for (Answer found :
        List.of(
            wire.get(path + "?workerId=" + worker),
            wire.get(path + "?worker_id=" + worker + "&max_age_ms=60000"),
            wire.post(path, "{'workerId':'" + worker + "','maxAgeMs':60000}"),
            wire.postForm(path, Map.of("worker_id", worker)))) {
      ok(found);
      assertThat(found.result().propertyNames()).containsExactly("workerData");
      assertThat(found.result().path("workerData").path("workerId").asString()).isEqualTo(worker);
      assertThat(found.result().path("workerData").path("state").asString()).isEqualTo("alive");
    }
    assertRefused(wire.get(path), 400, 8020);
    assertRefused(wire.get(path + "?workerId=" + worker + "&maxAgeMs=60001"), 400, 8020);
  }

  // ---- bulks

  @Test
  void bulkIsPreviewedStartedAndRead() {
    String task = create("'taskStage':'s','delayMs':3600000");
    String path = "/api/bulk/";
    String asked = "{'act':'cancel','filter':{'taskType':'" + type + "','status':'1'}}";
    Answer preview = wire.post(path + "preview", asked);
    ok(preview);
    assertThat(preview.result().propertyNames())
        .containsExactly(
            "bulkId",
            "act",
            "arguments",
            "filter",
            "count",
            "looked",
            "byStatus",
            "samples",
            "cap",
            "token",
            "tokenUntil");
    assertThat(idsIn(preview, "samples")).containsExactly(task);
    String id = preview.result().path("bulkId").asString();
    assertRefused(wire.get(path + "get?bulkId=" + id), 404, 8041);

    String token = preview.result().path("token").asString();
    Map<String, String> start = Map.of("token", token, "count", "1", "reason", "because");
    assertRefused(wire.postForm(path + "start", Map.of("token", token, "count", "1")), 400, 8020);
    for (Answer started :
        List.of(
            wire.postForm(path + "start", start),
            wire.post(path + "start?count=1&reason=because&token=" + token),
            wire.post(path + "start", "{'token':'" + token + "','count':1,'reason':'because'}"))) {
      ok(started);
      assertThat(started.result().path("bulkId").asString()).isEqualTo(id);
    }
    await().until(() -> task(task).path("status").asInt() == TaskStatus.CANCELLED.code());
    for (Answer shown :
        List.of(
            wire.get(path + "get?bulk_id=" + id),
            wire.post(path + "get", "{'bulkId':'" + id + "'}"),
            wire.postForm(path + "get", Map.of("bulkId", id)))) {
      ok(shown);
      assertThat(shown.result().path("state").asString()).isEqualTo("DONE");
      assertThat(shown.result().path("done").asInt()).isEqualTo(1);
    }
    assertThat(wire.get(path + "list?limit=1").result().propertyNames()).contains("bulks");
    for (String act : List.of("stop", "resume")) {
      assertRefused(wire.post(path + act, "{'bulkId':'" + id + "'}"), 409, 8051);
    }
  }

  // ---- errors

  @Test
  void everyRefusalHasTheWholeBody() {
    Answer refused = tryCreate("'priority':-1,'delayMs':1,'runAt':1");
    assertRefused(refused, 400, 8020);
    assertThat(refused.body().propertyNames())
        .containsExactly(
            "msg",
            "code",
            "result",
            "type",
            "title",
            "status",
            "detail",
            "instance",
            "traceId",
            "retryable",
            "errors");
    assertThat(refused.badFields())
        .containsExactlyInAnyOrder("taskData.taskStage", "taskData.priority", "taskData.runAt");
    assertThat(refused.header("Content-Type")).isEqualTo("application/json");
    assertThat(refused.header("X-Trace-Id")).isEqualTo(refused.body().path("traceId").asString());
  }

  @Test
  void anotherFamilysNameOfTheContextIsRefusedWithAHint() {
    String id = create("'taskStage':'s','taskContext':'mine'");
    String task = "{'userId':'u','taskType':'" + type + "','taskStage':'s','context':'c'}";
    String report =
        "{'taskId':'" + id + "','workerId':'w','leaseEpoch':1,'outcome':'SUCCESS','context':'c'}";
    String children = "{'taskId':'1_x_task_1','leaseEpoch':1,'first':0,'children':[";

    assertHint(tryCreate("'taskStage':'s','context':'c'"), "taskData.context", "taskContext");
    assertHint(
        wire.post("/api/task/createTasks", "{'taskDataList':[" + task + "]}"),
        "taskDataList[0].context",
        "taskContext");
    assertHint(
        wire.post("/api/task/set_task", "{'taskId':'" + id + "','context':'c'}"),
        "context",
        "taskContext");
    assertHint(
        wire.post("/api/task/set_task", "{'taskData':{'taskId':'" + id + "','context':'c'}}"),
        "taskData.context",
        "taskContext");
    assertHint(
        wire.postForm("/api/task/set_task", Map.of("task_id", id, "context", "c")),
        "context",
        "taskContext");
    assertHint(wire.post("/api/task/set_task", report), "context", "taskContext");
    Answer reports = wire.post("/api/task/set_tasks", "{'reports':[" + report + "]}");
    assertThat(reports.result().path("outcomes").get(0).path("code").asInt()).isEqualTo(8020);
    assertThat(reports.result().path("outcomes").get(0).path("msg").asString())
        .contains("taskContext");
    assertHint(
        wire.post("/api/job/addChildren", children + "{'taskStage':'s','context':{}}]}"),
        "children[0].context",
        "taskContext");

    assertThat(task(id).path("taskContext").asString()).isEqualTo("mine");
  }

  @Test
  void secondsInPlaceOfMillisecondsAreRefusedWithAHint() {
    String id = create("'taskStage':'s','runAt':100000000000");
    for (String seconds : List.of("1", "1795254976", "'1795254976'", "99999999999")) {
      assertHint(tryCreate("'taskStage':'s','runAt':" + seconds), "taskData.runAt", "milliseconds");
      assertHint(
          wire.post("/api/task/set_task", "{'taskId':'" + id + "','orderTime':" + seconds + "}"),
          "orderTime",
          "milliseconds");
    }

    ok(wire.post("/api/task/set_task", "{'taskId':'" + id + "','orderTime':0}"));
    assertThat(task(id).path("orderTime").asLong()).isEqualTo(100_000_000_000L);
    assertThat(task(create("'taskStage':'s','runAt':0")).path("orderTime").asLong()).isZero();
  }

  private static void assertHint(Answer answer, String field, String hint) {
    assertRefused(answer, 400, 8020);
    assertThat(answer.badFields()).containsExactly(field);
    assertThat(answer.msg()).contains(hint);
  }

  @Test
  void remainingRowsOfTheErrorTable() {
    assertRefused(wire.post("/api/task/createTask", "{"), 400, 8021);
    for (String call : List.of("hold_task", "getTaskList")) {
      assertRefused(wire.get("/api/task/" + call + "?taskType=nosuchtype"), 404, 8042);
    }
    assertRefused(tryCreate("'taskStage':'s','taskType':'nosuchtype'"), 404, 8042);
    assertRefused(
        tryCreate("'taskStage':'s','taskContext':'" + "é".repeat(2_049) + "'"), 413, 8060);
    ok(tryCreate("'taskStage':'s','taskContext':'" + "é".repeat(2_048) + "'"));
    assertRefused(wire.get("/api/task/nowhere"), 404, 8020);
    assertRefused(wire.get("/api/task/createTask"), 405, 8020);
  }

  @Test
  void writesAreNeverDoneByGet() {
    for (String call :
        List.of(
            "task/createTask",
            "task/create_tasks",
            "task/set_task",
            "task/setTasks",
            "task_schedule_cfg/save",
            "worker/heartbeat",
            "bulk/preview",
            "bulk/start",
            "bulk/stop",
            "bulk/resume")) {
      assertRefused(wire.get("/api/" + call), 405, 8020);
    }
  }

  @Test
  void holdByHeadLeavesTheTasks() {
    create("'taskStage':'s'");
    Answer head =
        wire.send(
            wire.request("/api/task/hold_task?taskType=" + type)
                .method("HEAD", BodyPublishers.noBody()));
    assertThat(head.status()).isEqualTo(405);
    assertThat(idsIn(hold(""), "taskList")).hasSize(1);
  }

  @Test
  void unknownAndReadOnlyFieldsOfATaskAreIgnored() {
    ok(tryCreate("'taskStage':'s','status':4,'taskId':'x','crtRetryNum':9,'color':'red'"));
  }

  @Test
  void answerIsJsonWhateverIsAccepted() {
    Answer answer =
        wire.send(wire.request("/api/task_schedule_cfg/list").header("Accept", "text/html").GET());
    ok(answer);
    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
  }

  // ---- fixtures

  private Answer tryCreate(String fields) {
    String user = fields.contains("'userId'") ? "" : "'userId':'u',";
    String ofType = fields.contains("'taskType'") ? "" : "'taskType':'" + type + "',";
    return wire.post("/api/task/createTask", "{'taskData':{" + user + ofType + fields + "}}");
  }

  private String create(String fields) {
    Answer created = tryCreate(fields);
    ok(created);
    return created.result().path("taskId").asString();
  }

  private String heldTask() {
    String id = create("'taskStage':'s','priority':3600");
    assertThat(idsIn(hold("&workerId=w1&limit=1"), "taskList")).containsExactly(id);
    return id;
  }

  private Answer hold(String parameters) {
    Answer answer = wire.post("/api/task/hold_task?taskType=" + type + parameters);
    ok(answer);
    return answer;
  }

  private Answer report(String id, String fields) {
    return report(id, 1, "w1", fields);
  }

  private Answer report(String id, int epoch, String worker, String fields) {
    return wire.post(
        "/api/task/set_task",
        "{'taskId':'%s','workerId':'%s','leaseEpoch':%s,%s}".formatted(id, worker, epoch, fields));
  }

  private JsonNode task(String id) {
    return wire.get("/api/task/getTask?taskId=" + id).result().path("taskData");
  }

  private JsonNode typeNow() {
    return typeOf(wire.get("/api/task_schedule_cfg/list"), type);
  }

  private static JsonNode typeOf(Answer list, String spelling) {
    ok(list);
    return list.result()
        .path("scheduleCfgList")
        .valueStream()
        .filter(item -> item.path("task_type").asString().equals(spelling))
        .findFirst()
        .orElseThrow();
  }

  private int count() {
    return jdbc.sql("SELECT COUNT(*) FROM t_" + type + "_task_1").query(Integer.class).single();
  }

  private static List<String> idsIn(Answer answer, String list) {
    ok(answer);
    return answer.result().path(list).valueStream().map(t -> t.path("taskId").asString()).toList();
  }

  private static List<String> stagesOf(Answer held) {
    return held.result()
        .path("taskList")
        .valueStream()
        .map(t -> t.path("taskStage").asString())
        .toList();
  }

  private static List<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asString).toList();
  }

  private static String numberOf(String id) {
    return id.substring(0, id.indexOf('_'));
  }

  private static void ok(Answer answer) {
    assertThat(answer.status()).as(String.valueOf(answer.body())).isEqualTo(200);
    assertThat(answer.body().propertyNames()).containsExactly("msg", "code", "result");
    assertThat(answer.msg()).isEqualTo("ok");
    assertThat(answer.code()).isZero();
  }

  private static void assertRefused(Answer answer, int status, int code) {
    assertThat(answer.status()).as(String.valueOf(answer.body())).isEqualTo(status);
    assertThat(answer.code()).as(answer.msg()).isEqualTo(code);
    assertThat(answer.body().path("result").isNull()).isTrue();
    assertThat(answer.body().path("traceId").asString()).matches("[0-9a-f]{32}");
  }
}
