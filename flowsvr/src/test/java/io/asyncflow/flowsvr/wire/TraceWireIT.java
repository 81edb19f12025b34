package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.TaskType;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** How the trace of a create goes with its tasks, byte by byte. */
@RunningServer
@Tag("contract")
class TraceWireIT {

  private static final String FIRST = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String SECOND = "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00";

  @Autowired Given given;
  @Autowired TaskCreator creator;
  @LocalServerPort int port;
  private Wire wire;
  private TaskType type;

  @BeforeEach
  void aType() {
    wire = new Wire(port);
    type = given.aType().create();
  }

  /** Single quotes stand for double ones. */
  private JsonNode call(String traceParent, String path, String json) {
    Wire.Answer answer =
        wire.send(
            wire.request(path)
                .header("Content-Type", "application/json")
                .header("traceparent", traceParent)
                .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
    assertThat(answer.code()).as(answer.msg()).isZero();
    return answer.result();
  }

  private String task(String members) {
    return "{'userId':'u','taskType':'%s','taskStage':'one'%s}".formatted(type.name(), members);
  }

  private String create(String traceParent, String members) {
    String body = "{'taskData':" + task(members) + "}";
    return call(traceParent, "/api/task/createTask", body).path("taskId").asString();
  }

  private List<JsonNode> hold(int limit) {
    Wire.Answer held =
        wire.post(
            "/api/task/hold_task",
            "{'taskType':'%s','workerId':'w','limit':%s,'waitMs':20000}"
                .formatted(type.name(), limit));
    return held.result().path("taskList").valueStream().toList();
  }

  private JsonNode holdOne() {
    List<JsonNode> held = hold(1);
    assertThat(held).hasSize(1);
    return held.get(0);
  }

  private JsonNode report(JsonNode task, String members) {
    Wire.Answer answer =
        wire.post(
            "/api/task/set_tasks",
            "{'reports':[{'taskId':'%s','workerId':'w','leaseEpoch':%s,%s}]}"
                .formatted(
                    task.path("taskId").asString(), task.path("leaseEpoch").asInt(), members));
    JsonNode outcome = answer.result().path("outcomes").path(0);
    assertThat(outcome.path("outcome").asString()).as("%s", outcome).isEqualTo("ACCEPTED");
    return outcome;
  }

  private static String traceParentOf(JsonNode task) {
    return task.path("traceParent").asString(null);
  }

  private JsonNode get(String id) {
    return wire.post("/api/task/getTask", "{'taskId':'" + id + "'}").result().path("taskData");
  }

  @Test
  void eachHoldHandsOnTheTraceOfTheCreate() {
    create(FIRST, "");
    JsonNode one = holdOne();
    assertThat(traceParentOf(one)).isEqualTo(FIRST);
    assertThat(one.path("traceId").asString()).matches("[0-9a-f]{32}").doesNotContain("0af765");
    report(one, "'outcome':'NEXT_STAGE','taskStage':'two'");
    JsonNode two = holdOne();
    assertThat(two.path("taskStage").asString()).isEqualTo("two");
    assertThat(traceParentOf(two)).isEqualTo(FIRST);
    report(two, "'outcome':'RETRY','errMsg':'no tape','retryAfterMs':0");
    assertThat(traceParentOf(holdOne())).isEqualTo(FIRST);
    assertThat(traceParentOf(get(one.path("taskId").asString()))).isEqualTo(FIRST);
  }

  @Test
  void taskOfACallWithoutAValidTraceHasNone() {
    wire.post("/api/task/createTask", "{'taskData':" + task("") + "}");
    create("00-00000000000000000000000000000000-b7ad6b7169203331-01", "");
    create(FIRST.toUpperCase(Locale.ROOT), "");
    assertThat(hold(10)).hasSize(3).allMatch(task -> !task.has("traceParent"));
  }

  /** As of an outbox, which sends the tasks of many spans together. */
  @Test
  void taskOfACallMayNameItsTrace() {
    String id = create(FIRST, ",'idempotencyKey':'k','traceParent':'" + SECOND + "'");
    assertThat(create(FIRST, ",'idempotencyKey':'k'")).as("no part of the body").isEqualTo(id);
    create(FIRST, ",'traceParent':'of another form'");
    assertThat(hold(10)).extracting(TraceWireIT::traceParentOf).containsExactly(SECOND, FIRST);
  }

  @Test
  void eachTaskOfACallHasItsTrace() {
    String tasks = "{'taskDataList':[" + task("") + "," + task(",'idempotencyKey':'k'") + "]}";
    call(FIRST, "/api/task/createTasks", tasks);
    assertThat(hold(10)).hasSize(2).allMatch(task -> FIRST.equals(traceParentOf(task)));
  }

  @Test
  void tasksOfSeveralTracesFitIntoOneStatement() {
    TaskDraft plain = given.aWaitingTask().ofType(type).asDraft();
    creator.create(
        CreateCall.of(List.of(plain, plain.withTraceParent(FIRST), plain.withTraceParent(SECOND))));
    assertThat(hold(10))
        .extracting(TraceWireIT::traceParentOf)
        .containsExactlyInAnyOrder(null, FIRST, SECOND);
  }

  @Test
  void repeatInAnotherTraceIsTheSameCreate() {
    String id = create(FIRST, ",'idempotencyKey':'k'");
    assertThat(create(SECOND, ",'idempotencyKey':'k'")).isEqualTo(id);
    assertThat(traceParentOf(get(id))).isEqualTo(FIRST);
  }

  @Test
  void newBodyBringsItsTrace() {
    String key = ",'idempotencyKey':'k','onDuplicate':'RERUN'";
    String id = create(FIRST, key);
    report(holdOne(), "'outcome':'SUCCESS'");
    assertThat(create(SECOND, key)).isEqualTo(id);
    JsonNode again = holdOne();
    assertThat(traceParentOf(again)).isEqualTo(SECOND);
    report(again, "'outcome':'SUCCESS'");
    wire.post("/api/task/createTask", "{'taskData':" + task(key) + "}");
    assertThat(holdOne().has("traceParent")).isFalse();
  }

  @Test
  void copyOfATaskGoesOnInItsTrace() {
    String id = create(FIRST, "");
    String clone =
        call(SECOND, "/api/task/clone", "{'taskId':'" + id + "'}").path("taskId").asString();
    assertThat(clone).isNotEqualTo(id);
    assertThat(traceParentOf(get(clone))).isEqualTo(FIRST);
  }

  @Test
  void taskThatAReportCreatesIsInTheTraceOfTheReportOrOfItsTask() {
    create(FIRST, "");
    String creates = "'outcome':'NEXT_STAGE','taskStage':'one','creates':[" + task("") + "]";
    for (String given : List.of("", ",'traceParent':'" + SECOND + "'", ",'traceParent':'x'")) {
      JsonNode made = report(holdOne(), creates + given).path("created");
      assertThat(traceParentOf(get(made.path(0).asString())))
          .as(given)
          .isEqualTo(given.contains(SECOND) ? SECOND : FIRST);
      wire.post("/api/task/cancel", "{'taskId':'" + made.path(0).asString() + "'}");
    }
  }

  @Test
  void allTasksOfAJobAreInItsTrace() {
    call(
        FIRST,
        "/api/job/createJob",
        "{'jobData':{'userId':'u','jobType':'%s','merge':true,'children':[{'taskStage':'a'}]}}"
            .formatted(type.name()));
    JsonNode child = holdOne();
    assertThat(traceParentOf(child)).isEqualTo(FIRST);
    report(child, "'outcome':'SUCCESS'");
    JsonNode merge = holdOne();
    assertThat(merge.path("taskStage").asString()).isEqualTo("merge");
    assertThat(traceParentOf(merge)).isEqualTo(FIRST);

    type = given.aType().create();
    call(
        SECOND,
        "/api/job/createJob",
        "{'jobData':{'userId':'u','jobType':'%s'}}".formatted(type.name()));
    assertThat(traceParentOf(holdOne())).isEqualTo(SECOND);
  }
}
