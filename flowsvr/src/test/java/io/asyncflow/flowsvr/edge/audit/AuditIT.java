package io.asyncflow.flowsvr.edge.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Each act leaves one row, with the caller that was proven, and nothing else leaves any. */
@KeyedServer
@Tag("contract")
class AuditIT {

  private static final AtomicInteger TYPES = new AtomicInteger();
  private static final String BY = "'operator':'the CEO','reason':'because'";
  private static final String MARKER = "what-only-its-worker-may-know";

  @LocalServerPort int port;
  @Autowired JdbcClient jdbc;
  @Autowired Acts acts;
  @Autowired RetryingTransactions transactions;

  private Wire wire;
  private String type;

  @BeforeEach
  void newType() {
    wire = new Wire(port);
    type = "audit" + TYPES.incrementAndGet();
    ok(call("task_schedule_cfg/save", "{'task_type':'" + type + "'}"));
  }

  private Answer call(String path, String json) {
    return call(Role.ADMIN, path, json);
  }

  private Answer call(Role role, String path, String json) {
    return wire.send(
        wire.request("/api/" + path)
            .header("Authorization", "Bearer " + KeyedServer.Roles.keyOf(role))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
  }

  private static Answer ok(Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer;
  }

  /** The acts that a request has left. */
  private List<Map<String, Object>> rowsOf(Answer answer) {
    return jdbc.sql("SELECT *, HEX(actor_ip) AS ip FROM t_act WHERE trace_id = ? ORDER BY id")
        .param(answer.header("X-Trace-Id"))
        .query()
        .listOfRows();
  }

  private Map<String, Object> onlyRow(Answer answer) {
    ok(answer);
    List<Map<String, Object>> rows = rowsOf(answer);
    assertThat(rows).hasSize(1);
    return rows.get(0);
  }

  private void assertActs(Role role, String path, String json, String act, String object) {
    Map<String, Object> row = onlyRow(call(role, path, json));
    assertThat(row)
        .as(path)
        .containsEntry("act", act)
        .containsEntry("object", object)
        .containsEntry("actor", "key:" + role)
        .containsEntry("ip", "7F000001")
        .containsEntry("source", "api")
        .containsEntry("operator", json.contains("the CEO") ? "the CEO" : "");
  }

  private String aTask() {
    return ok(call(
            "task/createTask",
            "{'taskData':{'userId':'u','taskType':'"
                + type
                + "','taskStage':'one','taskContext':'"
                + MARKER
                + "'}}"))
        .result()
        .path("taskId")
        .asString();
  }

  private JsonNode hold(String workerId) {
    return ok(call("task/hold_task", "{'taskType':'" + type + "'" + workerId + "}"))
        .result()
        .path("taskList")
        .path(0);
  }

  @Test
  void eachActOnATaskIsOneRowOfTheCallerThatWasProven() {
    String id = aTask();
    String object = "task:" + id;
    String task = "{'taskId':'" + id + "'," + BY;
    assertActs(Role.OPERATOR, "task/pause", task + "}", "PAUSE", object);
    assertActs(Role.OPERATOR, "task/resume", task + "}", "RESUME", object);
    assertActs(Role.ADMIN, "task/setWorkers", task + ",'workerIds':['w1']}", "SET_WORKERS", object);
    hold(",'workerId':'w1'");
    assertActs(Role.OPERATOR, "task/restart", task + "}", "RESTART", object);
    hold(",'workerId':'w1'");
    assertActs(Role.ADMIN, "task/expireLease", task + ",'leaseEpoch':2}", "EXPIRE_LEASE", object);
    assertActs(Role.OPERATOR, "task/reschedule", task + ",'delayMs':60000}", "RESCHEDULE", object);
    assertActs(Role.OPERATOR, "task/runNow", task + "}", "RUN_NOW", object);
    assertActs(Role.OPERATOR, "task/clone", task + "}", "CLONE", object);
    assertActs(Role.OPERATOR, "task/cancel", task + "}", "CANCEL", object);
    assertActs(Role.OPERATOR, "task/retry", task + "}", "RETRY", object);
    assertActs(Role.ADMIN, "task/setStatus", task + ",'status':8}", "SET_STATUS", object);

    JsonNode acts = ok(call("task/getActs", "{'taskId':'" + id + "'}")).result().path("acts");
    assertThat(acts).hasSize(11);
    assertThat(acts.path(0).path("actor").asString()).isEqualTo("key:ADMIN");
    assertThat(acts.path(0).path("operator").asString()).isEqualTo("the CEO");
    assertThat(acts.path(0).path("statusBefore").asInt()).isEqualTo(1);
    assertThat(acts.path(1).path("actor").asString()).isEqualTo("key:OPERATOR");
  }

  @Test
  void eachActOnATypeIsOneRowWithWhatItChanged() {
    String object = "type:" + type;
    Map<String, Object> saved =
        onlyRow(call("task_schedule_cfg/save", "{'task_type':'" + type + "','max_executing':7}"));
    assertThat(saved).containsEntry("act", "SAVE").containsEntry("object", object);
    assertThat((String) saved.get("detail"))
        .matches(
            "\\{\"before\":\\{\"max_?[eE]xecuting\":0},\"after\":\\{\"max_?[eE]xecuting\":7}}");
    Answer again = call("task_schedule_cfg/save", "{'task_type':'" + type + "','max_executing':7}");
    assertThat(rowsOf(ok(again))).as("nothing changed").isEmpty();
    Map<String, Object> created =
        onlyRow(call("task_schedule_cfg/save", "{'task_type':'" + type + "_new'}"));
    assertThat(created).containsEntry("act", "CREATE").containsEntry("object", object + "_new");

    String more = "{'task_type':'" + type + "','max_executing':8," + BY + "}";
    Map<String, Object> because = onlyRow(call("task_schedule_cfg/save", more));
    assertThat(because).containsEntry("operator", "the CEO").containsEntry("reason", "because");
    assertThat((String) because.get("detail")).doesNotContain("CEO");
    Map<String, Object> createdBy =
        onlyRow(call("task_schedule_cfg/save", "{'task_type':'" + type + "_second'," + BY + "}"));
    assertThat(createdBy)
        .containsEntry("act", "CREATE")
        .containsEntry("operator", "the CEO")
        .containsEntry("reason", "because");
    String paused = "{'task_type':'" + type + "_second','paused':1," + BY + "}";
    assertThat(onlyRow(call("task_schedule_cfg/save", paused))).containsEntry("act", "SAVE");
    assertThat(
            jdbc.sql("SELECT CONCAT(operator, ': ', reason) FROM t_pause WHERE name = ?")
                .param(type + "_second")
                .query(String.class)
                .list())
        .containsExactly("the CEO: because");
    String tuned = "{'task_type':'" + type + "','max_executing':9," + BY + "}";
    assertActs(Role.OPERATOR, "task_schedule_cfg/save", tuned, "SAVE", object);

    String roll = "{'taskType':'" + type + "'," + BY + "}";
    assertActs(Role.OPERATOR, "task_schedule_cfg/roll", roll, "ROLL", object);
    assertThat(
            jdbc.sql("SELECT reason FROM t_act WHERE object = ? AND act = 'ROLL'")
                .param(object)
                .query(String.class)
                .list())
        .containsExactly("because");
    String clean = "{'taskType':'" + type + "','table':'t_" + type + "_task_1'," + BY + "}";
    Answer cleaned = // the table is drained first
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> call("task_schedule_cfg/clean", clean), answer -> answer.code() != 8051);
    assertThat(onlyRow(cleaned))
        .containsEntry("act", "CLEAN")
        .containsEntry("object", object)
        .containsEntry("actor", "key:ADMIN")
        .containsEntry("operator", "the CEO");
    String pause = "{'kind':'TYPE','name':'" + type + "'," + BY + "}";
    assertActs(Role.OPERATOR, "pause/set", pause, "PAUSE", object);
    assertActs(Role.OPERATOR, "pause/clear", pause, "RESUME", object);
    String stage = "{'kind':'STAGE','name':'" + type + "/one'," + BY + "}";
    assertActs(Role.OPERATOR, "pause/set", stage, "PAUSE", "stage:" + type + "/one");
    assertActs(Role.OPERATOR, "pause/clear", stage, "RESUME", "stage:" + type + "/one");
  }

  @Test
  void eachActOnABulkIsOneRow() {
    aTask();
    Answer preview =
        ok(
            call(
                Role.OPERATOR,
                "bulk/preview",
                "{'act':'PAUSE','filter':{'taskType':'" + type + "'}}"));
    assertThat(rowsOf(preview)).isEmpty();
    String object = "bulk:" + preview.result().path("bulkId").asString();
    String start =
        "{'token':'" + preview.result().path("token").asString() + "','count':1," + BY + "}";
    assertActs(Role.OPERATOR, "bulk/start", start, "START_BULK", object);
    // As if a later leader had it: this one leaves it alone.
    jdbc.sql("UPDATE t_bulk SET state = 'RUNNING', end_time = NULL, epoch = 1000000 WHERE id = ?")
        .param(preview.result().path("bulkId").asLong())
        .update();
    String bulk = "{'bulkId':'" + preview.result().path("bulkId").asString() + "'," + BY + "}";
    assertActs(Role.OPERATOR, "bulk/stop", bulk, "STOP_BULK", object);
    assertThat(rowsOf(ok(call(Role.OPERATOR, "bulk/stop", bulk)))).isEmpty();
    assertActs(Role.OPERATOR, "bulk/resume", bulk, "RESUME_BULK", object);
    ok(call(Role.OPERATOR, "bulk/stop", bulk));
  }

  @Test
  void eachActOnAWorkerIsOneRow() {
    String worker = "w-" + type;
    String named = "'" + worker + "'," + BY + "}";
    assertActs(
        Role.WORKER, "pause/set", "{'kind':'WORKER','name':" + named, "PAUSE", "worker:" + worker);
    assertActs(
        Role.WORKER,
        "pause/clear",
        "{'kind':'WORKER','name':" + named,
        "RESUME",
        "worker:" + worker);
    ok(
        call(
            "worker/heartbeat",
            "{'workerId':'" + worker + "','startId':'s','worker':{'host':'h'}}"));
    assertActs(Role.OPERATOR, "worker/drain", "{'workerId':" + named, "DRAIN", "worker:" + worker);
  }

  @Test
  void eachActOnAJobIsOneRow() {
    String job =
        ok(call(
                "job/createJob",
                "{'jobData':{'userId':'u','jobType':'" + type + "','jobInput':'" + MARKER + "'}}"))
            .result()
            .path("jobId")
            .asString();
    String on = "{'jobId':'" + job + "'," + BY + "}";
    assertActs(Role.OPERATOR, "job/pause", on, "PAUSE", "job:" + job);
    assertActs(Role.OPERATOR, "job/resume", on, "RESUME", "job:" + job);
    assertActs(Role.SUBMITTER, "job/cancel", on, "CANCEL", "job:" + job);
    Answer retried = // its tasks are cancelled first
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> call(Role.OPERATOR, "job/retry", on), answer -> answer.code() != 8051);
    assertThat(onlyRow(retried))
        .containsEntry("act", "RETRY")
        .containsEntry("actor", "key:OPERATOR");
    assertNowhere(MARKER);
  }

  @Test
  void eachActOnAScheduleIsOneRowWithoutTheContext() {
    String schedule =
        "{'scheduleData':{'name':'%s','everyMs':3600000,'maxFires':%s,'taskData':{'userId':'u',"
            + "'taskType':'%s','taskStage':'one','taskContext':'%s'}}}";
    Map<String, Object> created =
        onlyRow(call(Role.SUBMITTER, "schedule/save", schedule.formatted(type, 10, type, MARKER)));
    assertThat(created).containsEntry("act", "CREATE").containsEntry("actor", "key:SUBMITTER");
    assertThat((String) created.get("detail")).contains("3600000", "‹redacted›");
    String object = (String) created.get("object");
    Map<String, Object> changed =
        onlyRow(call("schedule/save", schedule.formatted(type, 11, type, MARKER)));
    assertThat(changed).containsEntry("act", "CHANGE").containsEntry("object", object);
    assertThat(changed)
        .containsEntry("detail", "{\"before\":{\"maxFires\":10},\"after\":{\"maxFires\":11}}");

    String on = "{'name':'" + type + "'," + BY + "}";
    assertActs(Role.OPERATOR, "schedule/trigger", on, "TRIGGER", object);
    assertActs(Role.OPERATOR, "schedule/pause", on, "PAUSE", object);
    assertActs(Role.OPERATOR, "schedule/resume", on, "RESUME", object);
    assertActs(Role.SUBMITTER, "schedule/delete", on, "DELETE", object);
    assertNowhere(MARKER);
  }

  @Test
  void backfillOfManyFiresIsOneRow() {
    long now = System.currentTimeMillis();
    ok(
        call(
            "schedule/save",
            "{'scheduleData':{'name':'%s','everyMs':60000,'taskData':{'userId':'u','taskType':'%s',"
                    .formatted(type, type)
                + "'taskStage':'one'}}}"));
    String range = "'from':" + (now - 600_000) + ",'to':" + (now - 60_000);
    Map<String, Object> row =
        onlyRow(call("schedule/backfill", "{'name':'" + type + "'," + BY + "," + range + "}"));
    assertThat(row).containsEntry("act", "BACKFILL").containsEntry("actor", "key:ADMIN");
  }

  @Test
  void eachActOnAHookIsOneRowWithoutItsSecrets() {
    String hook = "{'name':'%s','url':'https://hooks.example/%s','state':'PAUSED'," + BY + "}";
    ok(call("hook/save", hook.formatted(type + "-first", "x"))); // creates the type of deliveries
    Answer saved = call("hook/save", hook.formatted(type, MARKER));
    Map<String, Object> created = onlyRow(saved);
    assertThat(created).containsEntry("act", "CREATE").containsEntry("actor", "key:ADMIN");
    assertThat((String) created.get("detail")).contains("https://hooks.example\"");
    String id = saved.result().path("hookId").asString();
    assertActs(Role.ADMIN, "hook/save", hook.formatted(type, MARKER + "2"), "SAVE", "hook:" + id);
    String on = "{'hookId':'" + id + "'," + BY + "}";
    ok(call("hook/save", hook.formatted(type, MARKER).replace("PAUSED", "ACTIVE")));
    assertActs(Role.ADMIN, "hook/test", on, "TEST", "hook:" + id);
    Answer rotated = call("hook/rotate", on);
    assertThat(onlyRow(rotated)).containsEntry("act", "ROTATE");
    assertActs(Role.ADMIN, "hook/delete", on, "DELETE", "hook:" + id);
    assertNowhere(MARKER);
    assertNowhere(saved.result().path("secret").asString());
    assertNowhere(rotated.result().path("secret").asString());
  }

  @Test
  void eachActOnAnAccessKeyIsOneRowWithoutTheKey() {
    Answer made = call("key/create", "{'name':'" + type + "','roles':['READER']}");
    assertThat(onlyRow(made)).containsEntry("act", "CREATE").containsEntry("actor", "key:ADMIN");
    String id = made.result().path("keyId").asString();
    Answer rotated = call("key/rotate", "{'keyId':'" + id + "'}");
    assertThat(onlyRow(rotated))
        .containsEntry("act", "ROTATE")
        .containsEntry("object", "key:" + id);
    assertActs(Role.ADMIN, "key/revoke", "{'keyId':'" + id + "'}", "REVOKE", "key:" + id);
    String subject = "oidc:https://issuer.example#" + type;
    assertActs(Role.ADMIN, "key/deny", "{'principal':'" + subject + "'}", "DENY", subject);
    String allow = "{'principal':'" + subject + "','seconds':0}";
    assertActs(Role.ADMIN, "key/deny", allow, "DENY", subject);
    assertThat(rowsOf(call("key/deny", allow))).as("it is not denied any more").isEmpty();
    Map<String, Object> logIn = onlyRow(call("session", ""));
    assertThat(logIn).containsEntry("act", "LOG_IN").containsEntry("actor", "key:ADMIN");
    assertNowhere(made.result().path("key").asString());
    assertNowhere(rotated.result().path("key").asString());
  }

  private void assertNowhere(String text) {
    assertThat(text).isNotBlank();
    assertThat(
            jdbc.sql(
                    "SELECT COUNT(*) FROM t_act WHERE CONCAT_WS(' ', detail, reason, object) LIKE"
                        + " ?")
                .param("%" + text + "%")
                .query(Integer.class)
                .single())
        .as(text)
        .isZero();
  }

  @Test
  void updateOutsideOfAHoldIsOneRowAndAReportIsNone() {
    String id = aTask();
    Map<String, Object> row =
        onlyRow(
            call(
                Role.ADMIN,
                "task/set_task",
                "{'taskId':'" + id + "','priority':5,'taskContext':'" + MARKER + "2'}"));
    assertThat(row)
        .containsEntry("act", "UPDATE")
        .containsEntry("object", "task:" + id)
        .containsEntry("actor", "key:ADMIN");
    assertThat((String) row.get("detail")).contains("\"priority\":5");
    assertNowhere(MARKER);

    assertThat(hold("").path("taskId").asString()).isEqualTo(id);
    Answer ofItsHolder = call("task/set_task", "{'taskId':'" + id + "','status':4}");
    assertThat(rowsOf(ok(ofItsHolder))).as("an old client reports its run").isEmpty();
  }

  @Test
  void callsOfWorkersAndOfCreatorsLeaveNoRow() {
    Answer created =
        call(
            "task/createTask",
            "{'taskData':{'userId':'u','taskType':'" + type + "','taskStage':'one'}}");
    Answer held = call("task/hold_task", "{'taskType':'" + type + "','workerId':'w1'}");
    String id = created.result().path("taskId").asString();
    String fence = "'taskId':'" + id + "','workerId':'w1','leaseEpoch':1";
    Answer beat = call("worker/heartbeat", "{'workerId':'w1','tasks':[{" + fence + "}]}");
    Answer reported = call("task/set_task", "{" + fence + ",'outcome':'SUCCESS'}");
    for (Answer answer : List.of(created, held, beat, reported)) {
      assertThat(rowsOf(ok(answer))).isEmpty();
    }
  }

  @Test
  void actThatIsNotDoneLeavesNoRow() {
    String id = aTask();
    ok(call("task/setStatus", "{'taskId':'" + id + "','status':4,'reason':'done by hand'}"));
    Answer refused = call("task/cancel", "{'taskId':'" + id + "'," + BY + "}");
    assertThat(refused.code()).isEqualTo(8051);
    assertThat(rowsOf(refused)).isEmpty();

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      acts.record(Act.of("PAUSE", "nothing:" + type));
                      throw new IllegalStateException("after it was recorded");
                    }));
    assertThat(
            jdbc.sql("SELECT COUNT(*) FROM t_act WHERE object = ?")
                .param("nothing:" + type)
                .query(Integer.class)
                .single())
        .isZero();
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void eachActIsALineOfJsonInTheLog(CapturedOutput output) {
    String id = aTask();
    ok(
        call(
            "task/cancel",
            "{'taskId':'" + id + "','operator':'the CEO','reason':'a\\nline\u2028'}"));
    assertThat(output.getOut())
        .contains(
            "{\"act\":\"CANCEL\",\"object\":\"task:"
                + id
                + "\",\"actor\":\"key:ADMIN\",\"actorIp\":\"127.0.0.1\"")
        .contains("\"reason\":\"a\\nline\\u2028\"");
  }

  @Test
  void actsAreListedNewestFirstByPages() {
    String object = "worker:w-" + type;
    for (int i = 0; i < 5; i++) {
      String on = "{'kind':'WORKER','name':'w-" + type + "','reason':'" + i + "'}";
      ok(call(Role.OPERATOR, i % 2 == 0 ? "pause/set" : "pause/clear", on));
    }
    StringBuilder reasons = new StringBuilder();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page =
          ok(call(
                  Role.OPERATOR,
                  "audit/list",
                  "{'object':'"
                      + object
                      + "','actor':'key:OPERATOR','from':1700000000000,'limit':2"
                      + cursor
                      + "}"))
              .result();
      page.path("actList").forEach(act -> reasons.append(act.path("reason").asString()));
      String next = page.path("nextCursor").asString("");
      cursor = next.isEmpty() ? "" : ",'cursor':'" + next + "'";
      pages++;
    } while (!cursor.isEmpty());
    assertThat(reasons).hasToString("43210");
    assertThat(pages).isEqualTo(3);
    assertThat(list("{'object':'" + object + "','act':'RESUME'}")).hasSize(2);
    assertThat(list("{'object':'" + object + "','actor':'key:ADMIN'}")).isEmpty();
    assertThat(list("{'object':'" + object + "','to':1700000000000}")).isEmpty();
    JsonNode newest = list("{'object':'" + object + "','limit':1}").get(0);
    assertThat(newest.path("act").asString()).isEqualTo("PAUSE");
    assertThat(newest.path("actorIp").asString()).isEqualTo("127.0.0.1");
    assertThat(newest.path("traceId").asString()).hasSize(32);
  }

  private List<JsonNode> list(String filter) {
    return ok(call("audit/list", filter)).result().path("actList").valueStream().toList();
  }
}
