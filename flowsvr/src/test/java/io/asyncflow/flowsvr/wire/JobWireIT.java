package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** The calls about jobs, byte by byte. */
@RunningServer
@Tag("contract")
class JobWireIT {

  @Autowired Given given;
  @LocalServerPort int port;
  private Wire wire;
  private TaskType book;

  @BeforeEach
  void aType() {
    wire = new Wire(port);
    book = given.aType().create();
  }

  private String create(String user) {
    Wire.Answer answer =
        wire.post(
            "/api/job/createJob",
            "{'jobData':{'userId':'%s','jobType':'%s','jobInput':'x'}}"
                .formatted(user, book.name().toUpperCase(Locale.ROOT)));
    assertThat(answer.code()).as(answer.msg()).isZero();
    return answer.result().path("jobId").asString();
  }

  @Test
  void everyCallHasBothSpellingsAndForms() {
    Wire.Answer form =
        wire.postForm(
            "/api/job/create_job",
            Map.of("jobData.user_id", "ann", "jobData.job_type", book.name()));
    assertThat(form.code()).isZero();
    String id = form.result().path("jobId").asString();
    assertThat(id).matches("[1-9][0-9]+");
    for (String path : List.of("getJob?jobId=", "get_job?job_id=")) {
      JsonNode job = wire.get("/api/job/" + path + id).result().path("jobData");
      assertThat(job.path("jobId").asString()).isEqualTo(id);
      assertThat(job.path("state").asString()).isEqualTo("SPLITTING");
      assertThat(job.path("failurePolicy").asString()).isEqualTo("FINISH");
      assertThat(job.path("childType").asString()).isEqualTo(book.name());
      assertThat(job.has("total")).isFalse();
    }
    for (String path : List.of("getJobTasks", "get_job_tasks", "getJobList", "get_job_list")) {
      assertThat(wire.get("/api/job/" + path + "?jobId=" + id).code()).as(path).isZero();
    }
    for (String path : List.of("getJobInput", "get_job_input")) {
      assertThat(wire.get("/api/job/" + path + "?jobId=17").code()).isEqualTo(8036);
    }
    assertThat(wire.post("/api/job/cancel", "{'jobId':%s}".formatted(id)).code()).isZero();
  }

  @Test
  void windowIsShownWhereOneWasGiven() {
    Wire.Answer created =
        wire.post(
            "/api/job/createJob",
            "{'jobData':{'userId':'ann','jobType':'%s','window':'100000'}}".formatted(book.name()));
    String id = created.result().path("jobId").asString();
    JsonNode job = wire.get("/api/job/getJob?jobId=" + id).result().path("jobData");
    assertThat(job.path("window").asInt()).isEqualTo(100_000);
    String without = create("ann");
    assertThat(wire.get("/api/job/getJob?jobId=" + without).result().path("jobData").has("window"))
        .isFalse();
  }

  @Test
  void teamIsShownWithoutItsContext() {
    Wire.Answer created =
        wire.post(
            "/api/job/createJob",
            "{'jobData':{'userId':'ann','jobType':'%s','merge':true,'team':{'workers':2,"
                    .formatted(book.name())
                + "'task_stage':'a','task_context':'c'}}}");
    String id = created.result().path("jobId").asString();
    JsonNode job = wire.get("/api/job/getJob?jobId=" + id).result().path("jobData");
    assertThat(job.path("team").toString())
        .isEqualTo("{\"workers\":2,\"taskStage\":\"a\",\"maxMoves\":3}");
    assertThat(job.path("merge").asBoolean()).isTrue();
    assertThat(job.path("total").asInt()).isEqualTo(2);
    assertThat(job.has("splitTaskId")).isFalse();
  }

  @Test
  void listIsNewestFirstInPages() {
    String user = "reader-of-" + book.name();
    List<String> ids = List.of(create(user), create(user), create(user));
    String all = "/api/job/getJobList?userId=" + user;
    assertThat(idsOf(wire.get(all))).containsExactly(ids.get(2), ids.get(1), ids.get(0));
    Wire.Answer first = wire.get(all + "&limit=2");
    assertThat(idsOf(first)).containsExactly(ids.get(2), ids.get(1));
    String cursor = first.result().path("nextCursor").asString();
    Wire.Answer second = wire.get(all + "&limit=2&cursor=" + cursor);
    assertThat(idsOf(second)).containsExactly(ids.get(0));
    assertThat(second.result().path("nextCursor").isNull()).isTrue();
    assertThat(idsOf(wire.get("/api/job/getJobList?jobType=" + book.name() + "&state=SPLITTING")))
        .hasSize(3);
    assertThat(idsOf(wire.get(all + "&state=SUCCESS,FAILED"))).isEmpty();
  }

  private static List<String> idsOf(Wire.Answer answer) {
    return answer
        .result()
        .path("jobList")
        .valueStream()
        .map(j -> j.path("jobId").asString())
        .toList();
  }

  @Test
  void everyBadFieldIsNamed() {
    Wire.Answer job =
        wire.post(
            "/api/job/createJob",
            "{'jobData':{'jobType':'no type','priority':-1,'failurePolicy':'HOPE','childType':'1',"
                + "'idempotencyKey':'','window':0}}");
    assertThat(job.status()).isEqualTo(400);
    assertThat(job.badFields())
        .containsExactlyInAnyOrder(
            "jobData.userId",
            "jobData.jobType",
            "jobData.priority",
            "jobData.failurePolicy",
            "jobData.childType",
            "jobData.idempotencyKey",
            "jobData.window");
    Wire.Answer team =
        wire.post(
            "/api/job/createJob",
            "{'jobData':{'userId':'a','jobType':'b','merge':1,'children':[{}],'team':{"
                + "'workers':3,'taskStage':'split','workerIds':['v','w'],'maxMoves':101}}}");
    assertThat(team.badFields())
        .containsExactlyInAnyOrder(
            "jobData.children[0].taskStage",
            "jobData.children",
            "jobData.merge",
            "jobData.team.workers",
            "jobData.team.taskStage",
            "jobData.team.maxMoves");
    Wire.Answer page =
        wire.post(
            "/api/job/addChildren",
            "{'taskId':'x','first':-1,'children':[{},{'taskStage':'merge'},{'taskStage':'a',"
                + "'priority':-1}]}");
    assertThat(page.badFields())
        .containsExactlyInAnyOrder(
            "taskId",
            "leaseEpoch",
            "first",
            "children[0].taskStage",
            "children[1].taskStage",
            "children[2].priority");
    assertThat(wire.get("/api/job/getJobTasks?jobId=x&limit=0&cursor=-1").badFields())
        .containsExactlyInAnyOrder("jobId", "limit", "cursor");
    assertThat(wire.get("/api/job/getJobList?state=LOST&cursor=x").badFields())
        .containsExactlyInAnyOrder("state", "cursor");
    assertThat(
            wire.post("/api/job/createJob", "{'jobData':{'userId':'a','jobType':'nosuch'}}").code())
        .isEqualTo(8042);
  }

  @Test
  void childrenOfATaskWithoutAJobAreRefused() {
    String lark = given.aWaitingTask().ofType(book).create().toString();
    String body =
        "{'taskId':'%s','workerId':'w','leaseEpoch':0,'first':0,'children':[{'taskStage':'a'}]}";
    assertThat(wire.post("/api/job/addChildren", body.formatted(lark)).code()).isEqualTo(8051);
    String unknown = lark.replaceAll("^[0-9]+", "17");
    assertThat(wire.post("/api/job/addChildren", body.formatted(unknown)).code()).isEqualTo(8035);
  }
}
