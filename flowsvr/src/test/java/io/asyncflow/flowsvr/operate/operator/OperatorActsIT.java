package io.asyncflow.flowsvr.operate.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.TaskAct;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.task.row.CopyStore;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What operators do, as they do it: over HTTP. */
@RunningServer
@Tag("contract")
class OperatorActsIT {

  private static final AtomicInteger TYPES = new AtomicInteger();

  @LocalServerPort int port;
  @Autowired JdbcClient jdbc;
  @Autowired TableDrain drain;
  @Autowired CopyStore copies;
  @Autowired OperatorActs operatorActs;

  private Wire wire;
  private String type;

  @BeforeEach
  void newType() {
    wire = new Wire(port);
    type = "acts" + TYPES.incrementAndGet();
    ok(wire.post("/api/task_schedule_cfg/save", "{'task_type':'" + type + "','max_retry_num':1}"));
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result();
  }

  private String aTask() {
    return ok(wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'" + type + "','taskStage':'one'}}"))
        .path("taskId")
        .asString();
  }

  private JsonNode hold() {
    return ok(wire.post("/api/task/hold_task?taskType=" + type + "&workerId=w1"))
        .path("taskList")
        .path(0);
  }

  private Answer report(JsonNode held, String rest) {
    return wire.post(
        "/api/task/set_task",
        "{'taskId':'%s','workerId':'w1','leaseEpoch':%s,%s}"
            .formatted(held.path("taskId").asString(), held.path("leaseEpoch").asInt(), rest));
  }

  private JsonNode read(String taskId) {
    return ok(wire.get("/api/task/getTask?taskId=" + taskId)).path("taskData");
  }

  private Answer act(String name, String taskId, String rest) {
    return wire.post("/api/task/" + name, "{'taskId':'" + taskId + "'" + rest + "}");
  }

  @Test
  void aWaitingTaskThatIsCancelledIsNotHeldAnyMore() {
    String id = aTask();

    ok(act("cancel", id, ",'operator':'ann','reason':'not needed'"));

    assertThat(read(id).path("status").asInt()).isEqualTo(16);
    assertThat(hold().isMissingNode()).isTrue();
  }

  @Test
  void theHolderOfACancelledTaskIsToldAndItsReportIsRefused() {
    String id = aTask();
    JsonNode held = hold();

    ok(act("cancel", id, ""));

    JsonNode beat =
        ok(
            wire.post(
                "/api/worker/heartbeat",
                "{'workerId':'w1','tasks':[{'taskId':'%s','leaseEpoch':1}]}".formatted(id)));
    assertThat(beat.path("tasks").path(0).path("state").asString()).isEqualTo("CANCEL");
    Answer late = report(held, "'outcome':'SUCCESS'");
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.code()).isEqualTo(8051);
    assertThat(read(id).path("status").asInt()).isEqualTo(16);
  }

  @Test
  void cancellingTwiceIsOneActAndCancellingADoneTaskIsRefused() {
    String id = aTask();
    ok(act("cancel", id, ""));
    ok(act("cancel", id, ""));
    assertThat(ok(act("getActs", id, "")).path("acts")).hasSize(1);

    String done = aTask();
    ok(report(hold(), "'outcome':'SUCCESS'"));
    assertThat(act("cancel", done, "").code()).isEqualTo(8051);
  }

  @Test
  void aFailedTaskIsRetriedFromItsStageWithAFreshBudget() {
    String id = aTask();
    ok(report(hold(), "'outcome':'NEXT_STAGE','taskStage':'two'"));
    ok(report(hold(), "'outcome':'RETRY','errMsg':'no','retryAfterMs':0"));
    ok(report(hold(), "'outcome':'RETRY','errMsg':'no','retryAfterMs':0"));
    assertThat(read(id).path("status").asInt()).isEqualTo(8);

    String again = ok(act("retry", id, ",'operator':'bob'")).path("taskId").asString();

    assertThat(again).isEqualTo(id);
    JsonNode task = read(id);
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("taskStage").asString()).isEqualTo("two");
    assertThat(task.path("crtRetryNum").asInt()).isZero();
    assertThat(hold().path("leaseEpoch").asInt()).isEqualTo(4);
  }

  @Test
  void theLastHolderOfARevivedTaskHasNothingMoreToSay() {
    String id = aTask();
    JsonNode held = hold();
    ok(act("cancel", id, ""));
    ok(act("retry", id, ""));

    Answer late = report(held, "'outcome':'SUCCESS'");

    assertThat(late.code()).isEqualTo(8050);
    assertThat(read(id).path("status").asInt()).isEqualTo(1);
  }

  @Test
  void theReportThatFailedARevivedTaskMayBeRepeated() {
    String id = aTask();
    JsonNode held = hold();
    ok(report(held, "'outcome':'FAIL','errMsg':'no','reportId':'r1'"));
    ok(act("retry", id, ""));

    JsonNode repeated = ok(report(held, "'outcome':'FAIL','errMsg':'no','reportId':'r1'"));

    assertThat(repeated.path("outcome").asString()).isEqualTo("ALREADY_DONE");
    assertThat(read(id).path("status").asInt()).isEqualTo(1);
  }

  @Test
  void aTaskWhoseTableBeginHasPassedIsCopiedAndTheCopyNamesItsOrigin() {
    String id = aTask();
    ok(report(hold(), "'outcome':'FAIL','errMsg':'no'"));
    drainFirstTables(1);

    String copy = ok(act("retry", id, "")).path("taskId").asString();

    assertThat(copy).isNotEqualTo(id).endsWith("_task_2");
    assertThat(read(copy).path("scheduleLog").asString()).contains(id);
    assertThat(read(id).path("status").asInt()).isEqualTo(8);
    assertThat(ok(act("retry", id, "")).path("taskId").asString())
        .as("two operators make one copy")
        .isEqualTo(copy);
    ok(report(hold(), "'outcome':'FAIL','errMsg':'no'"));
    assertThat(ok(act("retry", id, "")).path("taskId").asString())
        .as("a copy that failed, too, is what is retried")
        .isEqualTo(copy);
    assertThat(read(copy).path("status").asInt()).isEqualTo(1);
    assertThat(ok(act("getActs", id, "")).path("acts").path(0).path("newTaskId").asString())
        .isEqualTo(copy);
  }

  /** Rolls, and waits until so many tables hold only finished tasks. */
  private void drainFirstTables(int count) {
    ok(wire.post("/api/task_schedule_cfg/roll", "{'taskType':'%s'}".formatted(type)));
    await()
        .until(
            () -> {
              drain.runOnce();
              return ok(wire.get("/api/task_schedule_cfg/tables?taskType=" + type))
                  .path("tables")
                  .path(count - 1)
                  .path("state")
                  .asString()
                  .equals("DRAINED");
            });
  }

  @Test
  void copyThatCannotBePutOnRecordIsNotMade() {
    String id = aTask();
    ok(report(hold(), "'outcome':'FAIL','errMsg':'no'"));
    drainFirstTables(1);
    TaskId task = TaskId.parse(id).orElseThrow();
    String tooLong = "x".repeat(1_001);

    assertThatThrownBy(
            () ->
                operatorActs.act(
                    task,
                    TaskAct.RETRY,
                    Arguments.NONE,
                    Expected.ANYTHING,
                    new Reason("ann", tooLong)))
        .isInstanceOf(DataIntegrityViolationException.class);

    assertThat(hold().isMissingNode()).isTrue();
  }

  @Test
  void recordOfACopyIsKeptAsLongAsTheCopy() {
    String id = aTask();
    ok(report(hold(), "'outcome':'FAIL','errMsg':'no'"));
    drainFirstTables(1);
    String copy = ok(act("retry", id, "")).path("taskId").asString();
    ok(report(hold(), "'outcome':'FAIL','errMsg':'no'"));
    drainFirstTables(2);
    ok(act("retry", copy, ""));
    happened(Duration.ofDays(1_000), id);
    happened(Duration.ofDays(1_000), copy);
    copies.deleteOld();
    assertThat(recordsOfCopiesOf(id)).isEqualTo(1);
    assertThat(recordsOfCopiesOf(copy)).isEqualTo(1);
    assertThat(copies.delete(List.of(onlyRecordOf(id)))).as("its copy was copied").isZero();
    assertThat(recordsOfCopiesOf(id)).isEqualTo(1);

    ok(report(hold(), "'outcome':'FAIL','errMsg':'no'"));
    drainFirstTables(3);
    jdbc.sql("UPDATE t_schedule_pos SET schedule_first_pos = 4 WHERE task_type = ?")
        .param(type)
        .update();

    await()
        .until(
            () -> {
              copies.deleteOld();
              return recordsOfCopiesOf(id) + recordsOfCopiesOf(copy) == 0;
            });
  }

  private long onlyRecordOf(String task) {
    return jdbc.sql("SELECT id FROM t_audit WHERE task_id = ?")
        .param(task)
        .query(Long.class)
        .single();
  }

  private int recordsOfCopiesOf(String task) {
    return jdbc.sql("SELECT COUNT(*) FROM t_audit WHERE task_id = ?")
        .param(task)
        .query(Integer.class)
        .single();
  }

  @Test
  void aForcedStatusNeedsAReasonAndLeavesARow() {
    String id = aTask();
    assertThat(act("setStatus", id, ",'status':4").badFields()).containsExactly("reason");

    ok(act("setStatus", id, ",'status':4,'reason':'done by hand','operator':'ann'"));

    assertThat(read(id).path("status").asInt()).isEqualTo(4);
    JsonNode done = ok(act("getActs", id, "")).path("acts").path(0);
    assertThat(done.path("act").asString()).isEqualTo("SET_STATUS");
    assertThat(done.path("operator").asString()).isEqualTo("ann");
    assertThat(done.path("reason").asString()).isEqualTo("done by hand");
    assertThat(done.path("statusBefore").asInt()).isEqualTo(1);
    assertThat(done.path("statusAfter").asInt()).isEqualTo(4);
  }

  @Test
  void nobodyForcesATaskToExecute() {
    String id = aTask();
    assertThat(act("setStatus", id, ",'status':2,'reason':'x'").code()).isEqualTo(8020);
  }

  @Test
  void anUnknownTaskIs8035ForEveryAct() {
    String id = "123_" + type + "_task_1";
    assertThat(act("cancel", id, "").code()).isEqualTo(8035);
    assertThat(act("retry", id, "").code()).isEqualTo(8035);
    assertThat(act("getActs", id, "").code()).isEqualTo(8035);
    assertThat(act("setStatus", id, ",'status':4,'reason':'x'").code()).isEqualTo(8035);
  }

  /** The copy was made so much earlier. */
  private void happened(Duration earlier, String task) {
    jdbc.sql("UPDATE t_audit SET act_time = act_time - ? WHERE task_id = ?")
        .params(earlier.toMillis(), task)
        .update();
  }
}
