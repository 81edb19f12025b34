package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Calls that take several verbs: what was sent decides which of them is needed. */
@KeyedServer
class PartialVerbsIT {

  private static final String SAVE = "/api/task_schedule_cfg/save";
  private static final String TYPE = "partial";

  @LocalServerPort int port;
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
}
