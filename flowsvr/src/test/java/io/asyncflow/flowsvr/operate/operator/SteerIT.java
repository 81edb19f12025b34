package io.asyncflow.flowsvr.operate.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** How operators steer single tasks: over HTTP. */
@RunningServer
@Tag("contract")
class SteerIT {

  private static final AtomicInteger TYPES = new AtomicInteger();

  @LocalServerPort int port;

  private Wire wire;
  private String type;

  @BeforeEach
  void newType() {
    wire = new Wire(port);
    type = "steered" + TYPES.incrementAndGet();
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + type + "','max_retry_num':1}"));
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result();
  }

  private String aTask(String more) {
    return ok(wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'"
                + type
                + "','taskStage':'one','taskContext':'given'"
                + more
                + "}}"))
        .path("taskId")
        .asString();
  }

  private JsonNode hold() {
    return ok(wire.post("/api/task/hold_task?limit=1&taskType=" + type + "&workerId=w1"))
        .path("taskList")
        .path(0);
  }

  private JsonNode read(String taskId) {
    return ok(wire.get("/api/task/getTask?taskId=" + taskId)).path("taskData");
  }

  private Answer act(String name, String taskId, String rest) {
    return wire.post(
        "/api/task/" + name, "{'taskId':'" + taskId + "','operator':'ada'" + rest + "}");
  }

  private JsonNode acts(String taskId) {
    return ok(wire.get("/api/task/getActs?taskId=" + taskId)).path("acts");
  }

  @Test
  void aTaskThatIsDueLaterRunsNow() {
    String id = aTask(",'delayMs':3600000,'priority':5");
    assertThat(hold().isMissingNode()).isTrue();

    ok(act("runNow", id, ",'reason':'asked for'"));

    assertThat(hold().path("taskId").asString()).isEqualTo(id);
    assertThat(acts(id).path(0).path("act").asString()).isEqualTo("RUN_NOW");
    assertThat(act("runNow", id, "").code()).isEqualTo(8051);
  }

  @Test
  void aTaskThatIsDueIsNotRunNow() {
    assertThat(act("runNow", aTask(""), "").code()).isEqualTo(8051);
  }

  @Test
  void aWaitingTaskIsMovedInTime() {
    String id = aTask("");

    ok(act("reschedule", id, ",'delayMs':3600000"));
    assertThat(hold().isMissingNode()).isTrue();
    ok(act("reschedule", id, ",'runAt':1795399200000"));
    assertThat(read(id).path("orderTime").asLong()).isEqualTo(1_795_399_200_000L);

    assertThat(acts(id)).hasSize(2);
    assertThat(acts(id).path(0).path("act").asString()).isEqualTo("RESCHEDULE");
  }

  @Test
  void aMoreUrgentTaskMovesForwardIfItIsDueAlready() {
    String due = aTask("");
    String later = aTask(",'delayMs':3600000");
    long dueBefore = read(due).path("orderTime").asLong();
    long laterBefore = read(later).path("orderTime").asLong();

    ok(act("reschedule", due, ",'priority':60"));
    ok(act("reschedule", later, ",'priority':60"));

    assertThat(read(due).path("orderTime").asLong()).isEqualTo(dueBefore - 60_000);
    assertThat(read(due).path("priority").asInt()).isEqualTo(60);
    assertThat(read(later).path("orderTime").asLong()).isEqualTo(laterBefore);
    assertThat(read(later).path("priority").asInt()).isEqualTo(60);
    ok(act("reschedule", due, ",'priority':60"));
    assertThat(acts(due)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reschedule | ''",
        "reschedule | ,'runAt':1795399200000,'delayMs':1",
        "reschedule | ,'priority':-1",
        "reschedule | ,'delayMs':-1",
        "runNow | ,'expectedStatus':3",
        "cancel | ,'expectedEpoch':'x'",
        "clone | ,'taskStage':''",
        "clone | ,'context':'x'",
        "clone | ,'priority':-1",
        "expireLease | ,'reason':'x'",
        "expireLease | ,'leaseEpoch':1",
      })
  void whatIsNotUnderstoodIsRefused(String act, String rest) {
    String more = rest.equals("''") ? "" : rest;
    assertThat(act(act.strip(), "1_" + type + "_task_1", more).code()).isEqualTo(8020);
  }

  @Test
  void aCloneIsANewTaskWithWhatWasChanged() {
    String id = aTask(",'priority':7");
    ok(act("cancel", id, ""));

    String clone =
        ok(act("clone", id, ",'taskContext':'other','idempotencyKey':'again'"))
            .path("taskId")
            .asString();

    JsonNode task = read(clone);
    assertThat(clone).isNotEqualTo(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("taskContext").asString()).isEqualTo("other");
    assertThat(task.path("priority").asInt()).isEqualTo(7);
    assertThat(task.path("scheduleLog").asString()).contains(id);
    assertThat(read(id).path("status").asInt()).isEqualTo(16);
    assertThat(acts(id).path(0).path("act").asString()).isEqualTo("CLONE");
    assertThat(acts(id).path(0).path("newTaskId").asString()).isEqualTo(clone);

    String same =
        ok(act("clone", id, ",'taskContext':'other','idempotencyKey':'again'"))
            .path("taskId")
            .asString();
    assertThat(same).isEqualTo(clone);
    assertThat(acts(id)).hasSize(2);
    assertThat(act("clone", id, ",'taskContext':'third','idempotencyKey':'again'").code())
        .isEqualTo(8052);
  }

  @Test
  void aCloneKeepsWhatIsNotChangedAndARetryStaysWithItsTask() {
    String id = aTask("");
    hold();
    ok(act("cancel", id, ""));
    String clone = ok(act("clone", id, "")).path("taskId").asString();

    assertThat(read(clone).path("taskContext").asString()).isEqualTo("given");
    assertThat(ok(act("retry", id, "")).path("taskId").asString()).isEqualTo(id);
  }

  @Test
  void aLeaseThatIsEndedGivesTheTaskBackWithoutAnAttempt() {
    String id = aTask("");
    hold();
    assertThat(act("expireLease", id, ",'leaseEpoch':2,'reason':'gone'").code()).isEqualTo(8053);

    ok(act("expireLease", id, ",'leaseEpoch':1,'reason':'gone'"));

    JsonNode task = read(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("crtRetryNum").asInt()).isZero();
    assertThat(task.path("scheduleLog").asString())
        .contains("OPERATOR", "an operator ended the lease")
        .doesNotContain("WORKER_LOST");
    assertThat(acts(id).path(0).path("act").asString()).isEqualTo("EXPIRE_LEASE");
    assertThat(hold().path("leaseEpoch").asInt()).isEqualTo(2);
    assertThat(act("expireLease", id, ",'leaseEpoch':1,'reason':'gone'").code()).isEqualTo(8053);
  }

  @Test
  void leasesThatAreEndedUseUpNeitherRetriesNorDeliveries() {
    String id = aTask(",'maxRetryNum':0");
    for (int epoch = 1; epoch <= 12; epoch++) {
      JsonNode held = ok(wire.post("/api/task/hold_task?limit=1&taskType=" + type)); // of no worker
      assertThat(held.path("taskList")).hasSize(1);
      ok(act("expireLease", id, ",'leaseEpoch':" + epoch + ",'reason':'gone'"));
    }

    assertThat(read(id).path("status").asInt()).isEqualTo(1);
    assertThat(read(id).path("crtRetryNum").asInt()).isZero();
  }

  @Test
  void aDueTaskThatBecomesLessUrgentStaysDue() {
    String id = aTask(",'priority':3600");
    ok(act("reschedule", id, ",'priority':0"));
    assertThat(read(id).path("priority").asInt()).isZero();
    assertThat(hold().path("taskId").asString()).isEqualTo(id);
  }

  @Test
  void anActOnATaskThatHasMovedIsRefused() {
    String id = aTask("");
    hold();

    for (String act : new String[] {"cancel", "retry", "runNow", "restart", "pause", "resume"}) {
      assertThat(act(act, id, ",'expectedStatus':1").code()).as(act).isEqualTo(8053);
      assertThat(act(act, id, ",'expectedEpoch':0").code()).as(act).isEqualTo(8053);
    }
    assertThat(act("setStatus", id, ",'status':8,'reason':'x','expectedStatus':1").code())
        .isEqualTo(8053);
    assertThat(act("reschedule", id, ",'delayMs':1,'expectedEpoch':0").code()).isEqualTo(8053);
    assertThat(act("pause", id, ",'stop':1,'expectedStatus':1").code()).isEqualTo(8053);
    assertThat(acts(id)).isEmpty();
    assertThat(read(id).path("status").asInt()).isEqualTo(2);
    ok(act("cancel", id, ",'expectedStatus':2,'expectedEpoch':1"));
  }

  @Test
  void aRestartEndsTheHoldThatWasSeenAndNotTheNextOne() {
    String id = aTask("");
    hold();
    String seen = ",'expectedStatus':2,'expectedEpoch':1";
    ok(act("restart", id, seen));
    hold();

    assertThat(act("restart", id, seen).code()).isEqualTo(8053);
    assertThat(act("pause", id, ",'stop':1" + seen).code()).isEqualTo(8053);
    assertThat(read(id).path("leaseEpoch").asInt()).isEqualTo(2);
    assertThat(read(id).path("status").asInt()).isEqualTo(2);

    ok(act("pause", id, ",'stop':1,'expectedStatus':2,'expectedEpoch':2"));
    assertThat(act("resume", id, ",'expectedStatus':1").code()).isEqualTo(8053);
    ok(act("resume", id, ",'expectedStatus':32,'expectedEpoch':2"));
    assertThat(read(id).path("status").asInt()).isEqualTo(1);
  }

  @Test
  void aTaskOfAJobIsNotCloned() {
    String job =
        ok(wire.post(
                "/api/job/createJob",
                "{'jobData':{'userId':'u','jobType':'"
                    + type
                    + "','childType':'"
                    + type
                    + "','jobInput':'x'}}"))
            .path("jobId")
            .asString();
    JsonNode found = ok(wire.get("/api/task/search?jobId=" + job));
    String split = found.path("taskList").path(0).path("taskId").asString();

    assertThat(found.path("drivenBy").asString()).isEqualTo("t_job_task");
    assertThat(act("clone", split, "").code()).isEqualTo(8051);
    JsonNode map = ok(wire.get("/api/job/getJobMap?jobId=" + job));
    assertThat(map.path("map").asString()).isEmpty();
  }

  @Test
  void theMapOfAJobHasALetterAChild() {
    String job =
        ok(wire.post(
                "/api/job/createJob",
                "{'jobData':{'userId':'u','jobType':'%s','childType':'%s','children':["
                        .formatted(type, type)
                    + "{'taskStage':'one'},{'taskStage':'one'},{'taskStage':'one'}]}}"))
            .path("jobId")
            .asString();
    String map = "/api/job/getJobMap?jobId=" + job;
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(ok(wire.get(map)).path("map").asString()).isEqualTo("www"));

    String first = hold().path("taskId").asString();
    ok(act("cancel", first, ""));
    JsonNode held = hold();
    ok(
        wire.post(
            "/api/worker/heartbeat",
            "{'workerId':'w1','tasks':[{'taskId':'%s','leaseEpoch':1,'progress':40}]}"
                .formatted(held.path("taskId").asString())));

    JsonNode whole = ok(wire.get(map));
    assertThat(whole.path("map").asString()).hasSize(3).contains("c", "r", "w");
    assertThat(whole.path("progress")).hasSize(1);
    assertThat(ok(wire.get(map + "&from=2&count=1")).path("map").asString()).hasSize(1);
    assertThat(ok(wire.get(map + "&from=3")).path("map").asString()).isEmpty();
    JsonNode found = ok(wire.get("/api/task/search?q=job:" + job + "&limit=2"));
    assertThat(found.path("taskList")).hasSize(2);
    assertThat(
            ok(wire.get(
                    "/api/task/search?q=job:"
                        + job
                        + "&limit=2&cursor="
                        + found.path("nextCursor").asString()))
                .path("taskList"))
        .hasSize(1);
  }

  // what finds tasks, over HTTP

  @Test
  void aSearchIsReadFromWordsOrFields() {
    String id = aTask("");

    for (String query :
        new String[] {
          "q=type:" + type + "+status:waiting",
          "taskType=" + type + "&status=1",
          "task_type=" + type + "&stages=one&userId=u",
          "q=" + id,
          "taskId=" + id,
          "taskType=" + type + "&text=given",
        }) {
      JsonNode found = ok(wire.get("/api/task/search?" + query));
      assertThat(found.path("taskList")).as(query).hasSize(1);
      assertThat(found.path("isWhole").asBoolean()).isTrue();
    }
    Answer unknown = wire.get("/api/task/search?q=error:tape");
    assertThat(unknown.code()).isEqualTo(8020);
    assertThat(unknown.msg()).contains("'error' is not known");
    assertThat(wire.get("/api/task/search?taskType=nosuchtype").code()).isEqualTo(8042);
  }

  @Test
  void runningTasksAreListed() {
    String id = aTask("");
    hold();

    JsonNode running = ok(wire.get("/api/task/running?taskType=" + type + "&workerId=w1"));

    assertThat(running.path("runningList")).hasSize(1);
    JsonNode task = running.path("runningList").path(0);
    assertThat(task.path("taskId").asString()).isEqualTo(id);
    assertThat(task.path("leaseMs").asLong()).isPositive();
    assertThat(task.path("elapsedMs").asLong()).isNotNegative();
    assertThat(
            ok(wire.get("/api/task/running?taskType=" + type + "&workerId=w2")).path("runningList"))
        .isEmpty();
  }

  @Test
  void whyAndHistoryAnswerOverHttp() {
    String id = aTask(",'delayMs':3600000");

    JsonNode why = ok(wire.get("/api/task/why?taskId=" + id)).path("why");
    JsonNode history = ok(wire.get("/api/task/history?taskId=" + id));

    assertThat(why.path("headline").asString()).isEqualTo("NOT_DUE");
    assertThat(why.path("reasons").path(0).path("text").asString()).isNotEmpty();
    assertThat(history.path("entries")).hasSize(2);
    assertThat(wire.get("/api/task/why?taskId=1_" + type + "_task_1").code()).isEqualTo(8035);
    assertThat(wire.get("/api/task/why?jobId=5&index=0").code()).isEqualTo(8036);
    assertThat(wire.get("/api/task/why?jobId=5").code()).isEqualTo(8020);
    assertThat(wire.get("/api/task/why?taskId=" + id + "&jobId=5&index=1").code()).isEqualTo(8020);
  }

  @Test
  void objectsOfATaskAreListedAndTheStoreSaysHowFullItIs() {
    String id = aTask("");

    assertThat(ok(wire.get("/api/store/list?taskId=" + id)).path("objectList")).isEmpty();
    assertThat(wire.get("/api/store/list?taskId=1_" + type + "_task_1").code()).isEqualTo(8035);
    JsonNode usage = ok(wire.get("/api/store/usage"));
    assertThat(usage.path("kind").asString()).isEqualTo("DIRECTORY");
    assertThat(usage.path("freeBytes").asLong()).isPositive();
  }
}
