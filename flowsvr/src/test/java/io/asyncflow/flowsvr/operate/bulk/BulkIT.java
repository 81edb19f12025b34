package io.asyncflow.flowsvr.operate.bulk;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.operate.bulk.BulkRow.Progress;
import io.asyncflow.flowsvr.operate.bulk.run.BulkPages;
import io.asyncflow.flowsvr.operate.bulk.run.BulkRounds;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** One act on all tasks of a search; the test is the leader. */
@UnsweptServer
@Tag("contract")
class BulkIT {

  private static final long TERM = 7;
  private static final int PREVIEW_OVER = 8054;
  private static final int INVALID = 8020;
  private static final int NO_SUCH_TYPE = 8042;

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired BulkStore store;
  @Autowired BulkPages pages;
  @Autowired BulkRounds rounds;
  @Autowired DataSource database;
  @Autowired Duty bulkRetentionDuty;
  @Autowired TableDrain drain;

  private Wire wire;
  private TaskType type;

  @BeforeEach
  void newType() {
    wire = new Wire(port);
    type = given.aType().create();
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result();
  }

  private List<TaskId> tasks(int count, TaskStatus status) {
    List<TaskId> ids = given.aWaitingTask().ofType(type).dueIn(1, HOURS).create(count);
    if (status != TaskStatus.WAITING) {
      ids.forEach(id -> given.set(id, "status = " + status.code()));
    }
    return ids;
  }

  private Answer ask(String act, String words, String more) {
    return wire.post(
        "/api/bulk/preview",
        "{'act':'%s','filter':{'q':'type:%s %s'}%s}".formatted(act, type, words, more));
  }

  private JsonNode preview(String act, String words, String more) {
    return ok(ask(act, words, more));
  }

  private Answer start(JsonNode preview) {
    return start(preview, preview.path("count").path("count").asInt());
  }

  private Answer start(JsonNode preview, int count) {
    return wire.post(
        "/api/bulk/start",
        "{'token':'%s','count':%s,'operator':'ann','reason':'tape is back'}"
            .formatted(preview.path("token").asString(), count));
  }

  private long started(JsonNode preview) {
    return ok(start(preview)).path("bulkId").asLong();
  }

  private BulkRow row(long bulk) {
    return store.find(bulk).orElseThrow();
  }

  private BulkRow runToTheEnd(long bulk) {
    for (BulkRow row = row(bulk); row.state() == BulkState.RUNNING; row = row(bulk)) {
      pages.next(row, TERM);
    }
    return row(bulk);
  }

  private int acts(long bulk) {
    return jdbc.sql(
            "SELECT COUNT(*) FROM t_act WHERE source = 'bulk' AND detail LIKE CONCAT('%', :id, '%')")
        .param("id", bulk)
        .query(Integer.class)
        .single();
  }

  private static void assertCounts(BulkRow bulk, int done, int skipped, int refused) {
    Progress progress = bulk.progress();
    assertThat(List.of(progress.done(), progress.skipped(), progress.refused()))
        .as("done, skipped, refused of %s", bulk)
        .isEqualTo(List.of(done, skipped, refused));
  }

  @Test
  void doesWhatThePreviewHasShown() {
    List<TaskId> failed = tasks(230, TaskStatus.FAILED);
    List<TaskId> others = new ArrayList<>(tasks(20, TaskStatus.WAITING));
    others.addAll(tasks(10, TaskStatus.SUCCESS));

    JsonNode preview = preview("RETRY", "status:failed", "");
    BulkRow bulk = runToTheEnd(started(preview));

    assertThat(preview.path("count").toString()).isEqualTo("{\"count\":230,\"kind\":\"EXACT\"}");
    assertThat(preview.path("byStatus").toString()).isEqualTo("{\"FAILED\":230}");
    assertThat(preview.path("samples").valueStream().map(task -> task.path("taskId").asString()))
        .hasSize(5)
        .isSubsetOf(failed.stream().map(TaskId::toString).toList());
    assertThat(bulk.state()).isEqualTo(BulkState.DONE);
    assertCounts(bulk, 230, 0, 0);
    assertThat(failed).allMatch(id -> given.row(id).status() == TaskStatus.WAITING);
    assertThat(others).noneMatch(id -> given.row(id).modifyTime() > bulk.previewTime());
    assertThat(acts(bulk.id())).isEqualTo(230);
  }

  @Test
  void eachActIsThatOfTheSingleCallAndNamesTheCallerAndTheBulk() {
    TaskId id = tasks(1, TaskStatus.FAILED).get(0);

    long bulk = started(preview("RETRY", "status:failed", ""));
    runToTheEnd(bulk);

    Map<String, Object> act =
        jdbc.sql("SELECT * FROM t_act WHERE task_id = :id")
            .param("id", id.toString())
            .query()
            .singleRow();
    assertThat(act)
        .containsEntry("act", "RETRY")
        .containsEntry("actor", "local")
        .containsEntry("source", "bulk")
        .containsEntry("operator", "ann")
        .containsEntry("reason", "tape is back")
        .containsEntry("status_before", 8)
        .containsEntry("status_after", 1);
    assertThat((String) act.get("detail")).contains("" + bulk);
    assertThat(
            jdbc.sql("SELECT detail FROM t_act WHERE object = :bulk AND act = 'START_BULK'")
                .param("bulk", "bulk:" + bulk)
                .query(String.class)
                .single())
        .contains("\"expected\":1", "status:failed");
  }

  @Test
  void tasksMadeAfterThePreviewAreLeftAlone() {
    tasks(3, TaskStatus.WAITING);
    JsonNode preview = preview("CANCEL", "status:waiting", "");
    List<TaskId> later = tasks(3, TaskStatus.WAITING);

    BulkRow bulk = runToTheEnd(started(preview));

    assertCounts(bulk, 3, 0, 0);
    assertThat(later).allMatch(id -> given.row(id).status() == TaskStatus.WAITING);
  }

  @Test
  void aTaskThatHasChangedSinceThePreviewIsSkipped() {
    List<TaskId> ids = tasks(4, TaskStatus.FAILED);
    JsonNode preview = preview("RETRY", "status:failed", "");
    given.set(ids.get(0), "status = 4, modify_time = modify_time + 60000");
    given.set(ids.get(1), "modify_time = modify_time + 60000"); // it has failed once more

    long id = started(preview);
    given.set(ids.get(2), "status = 16, modify_time = modify_time + 60000");
    BulkRow bulk = runToTheEnd(id);

    assertThat(bulk.progress().done()).isEqualTo(1);
    assertThat(ids.stream().map(each -> given.row(each).status()))
        .containsExactly(
            TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.WAITING);
    assertThat(acts(id)).isEqualTo(1);
  }

  @Test
  void tasksThatDoNotAllowTheActAreCountedAndTheFirstAreNamed() {
    tasks(30, TaskStatus.SUCCESS);
    tasks(5, TaskStatus.WAITING);
    tasks(2, TaskStatus.CANCELLED);

    long id = started(preview("CANCEL", "", ""));
    BulkRow bulk = runToTheEnd(id);

    assertCounts(bulk, 5, 2, 30);
    JsonNode shown = ok(wire.get("/api/bulk/get?bulkId=" + id));
    assertThat(shown.path("refusals").size()).isEqualTo(BulkRow.MOST_REFUSALS);
    assertThat(shown.path("refusals").path(0).path("code").asInt()).isEqualTo(8051);
    assertThat(shown.path("state").asString()).isEqualTo("DONE");
  }

  @ParameterizedTest
  @CsvSource({
    "CANCEL, 1, '', 'status = 16'",
    "PAUSE, 1, '', 'status = 32'",
    "RESUME, 32, '', 'status = 1'",
    "RUN_NOW, 1, '', 'order_time <= modify_time'",
    "RESCHEDULE, 1, 'priority:60', 'priority = 60'",
    "RESCHEDULE, 1, 'runAt:2000000000000', 'order_time = 2000000000000'",
    "RESCHEDULE, 1, 'delayMs:7200000', 'order_time > modify_time + 7000000'",
    "SET_STATUS, 8, 'status:4', 'status = 4'",
    "SET_STATUS, 8, 'status:1', 'status = 1'",
  })
  void doesEachAct(String act, int status, String argument, String outcome) {
    List<TaskId> ids = tasks(3, TaskStatus.ofCode(status));
    String with = argument.isEmpty() ? "" : ",'arguments':{'" + argument.replace(":", "':") + "}";

    BulkRow bulk =
        runToTheEnd(
            started(
                preview(
                    act,
                    "status:" + TaskStatus.ofCode(status).name().toLowerCase(Locale.ROOT),
                    with)));

    assertCounts(bulk, 3, 0, 0);
    for (TaskId id : ids) {
      assertThat(
              jdbc.sql(
                      "SELECT COUNT(*) FROM %s WHERE id = %s AND %s"
                          .formatted(id.table().sqlName(), id.number(), outcome))
                  .query(Integer.class)
                  .single())
          .as(outcome)
          .isEqualTo(1);
    }
  }

  @Test
  void endsTheHoldsThatThePreviewHasSeen() {
    given.aWaitingTask().ofType(type).create(2);
    List<Task> held = given.aHold(type).limit(2).now();
    JsonNode preview = preview("EXPIRE_LEASE", "status:executing", "");

    BulkRow bulk = runToTheEnd(started(preview));

    assertCounts(bulk, 2, 0, 0);
    assertThat(held).allMatch(task -> given.row(task).status() == TaskStatus.WAITING);
  }

  @Test
  void tasksOfADrainedTableAreRetriedByCopies() {
    List<TaskId> old = tasks(3, TaskStatus.FAILED);
    given.nextTable(type);
    List<TaskId> fresh = tasks(2, TaskStatus.FAILED);
    await()
        .until(
            () -> {
              drain.runOnce();
              return ok(wire.get("/api/task_schedule_cfg/tables?taskType=" + type))
                  .path("tables")
                  .path(0)
                  .path("state")
                  .asString()
                  .equals("DRAINED");
            });

    long id = started(preview("RETRY", "status:failed", ""));
    BulkRow bulk = runToTheEnd(id);

    assertCounts(bulk, 5, 0, 0);
    assertThat(acts(id)).isEqualTo(5);
    assertThat(fresh).allMatch(task -> given.row(task).status() == TaskStatus.WAITING);
    assertThat(old).allMatch(task -> given.row(task).status() == TaskStatus.FAILED);
    assertThat(
            jdbc.sql(
                    "SELECT COUNT(*) FROM t_act WHERE task_id IN (:ids) AND new_task_id IS NOT NULL")
                .param("ids", old.stream().map(TaskId::toString).toList())
                .query(Integer.class)
                .single())
        .isEqualTo(3);
  }

  @Test
  void endsAtItsCap() {
    tasks(8, TaskStatus.WAITING);

    BulkRow bulk = runToTheEnd(started(preview("CANCEL", "status:waiting", ",'cap':5")));

    assertThat(bulk.state()).isEqualTo(BulkState.DONE);
    assertCounts(bulk, 5, 0, 0);
  }

  @Test
  void aTokenStartsOnceForSomeTimeAndWithTheCountThatWasShown() {
    tasks(2, TaskStatus.WAITING);
    JsonNode preview = preview("CANCEL", "status:waiting", "");

    assertThat(start(preview, 3).code()).isEqualTo(INVALID);
    long id = started(preview);
    assertThat(started(preview)).as("the answer may have been lost").isEqualTo(id);
    assertThat(
            jdbc.sql("SELECT COUNT(*) FROM t_act WHERE object = :bulk")
                .param("bulk", "bulk:" + id)
                .query(Integer.class)
                .single())
        .isEqualTo(1);

    JsonNode over = preview("CANCEL", "status:waiting", "");
    jdbc.sql("UPDATE t_bulk SET preview_end = 1 WHERE id = :id")
        .param("id", over.path("bulkId").asLong())
        .update();
    assertThat(start(over).code()).isEqualTo(PREVIEW_OVER);

    String token = preview("CANCEL", "status:waiting", "").path("token").asString();
    String forged = token.substring(0, token.length() - 2) + "zz";
    assertThat(
            wire.post("/api/bulk/start", "{'token':'" + forged + "','count':2,'reason':'because'}")
                .code())
        .isEqualTo(PREVIEW_OVER);
  }

  @Test
  void previewKnowsTypesThatAnotherServerHasMadeJustNow() {
    tasks(1, TaskStatus.WAITING);
    preview("CANCEL", "status:waiting", ""); // this server has read its types

    type = given.aType().create();
    tasks(2, TaskStatus.WAITING);

    assertThat(preview("CANCEL", "status:waiting", "").path("count").path("count").asInt())
        .isEqualTo(2);
  }

  @Test
  void tasksWhoseNumbersAreAheadOfTheDatabasesClockAreNotLeftOut() {
    TaskId id = tasks(1, TaskStatus.WAITING).get(0);
    jdbc.sql(
            "UPDATE %s SET id = id + (5000 << 22) WHERE id = %s"
                .formatted(id.table().sqlName(), id.number()))
        .update();

    for (String words : List.of("", "status:waiting")) {
      assertThat(preview("CANCEL", words, "").path("count").toString())
          .as(words)
          .isEqualTo("{\"count\":1,\"kind\":\"EXACT\"}");
    }
    assertCounts(runToTheEnd(started(preview("CANCEL", "", ""))), 1, 0, 0);
  }

  @Test
  void bulkWhosePageFailsKeepsNoOtherFromGoingOn() throws SQLException {
    TaskId locked = tasks(2, TaskStatus.WAITING).get(0);
    long stuck = started(preview("CANCEL", "status:waiting", ""));
    type = given.aType().create();
    tasks(2, TaskStatus.WAITING);
    long other = started(preview("CANCEL", "status:waiting", ""));

    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      try (Statement lock = connection.createStatement()) {
        lock.execute(
            "SELECT 1 FROM %s WHERE id = %s FOR UPDATE"
                .formatted(locked.table().sqlName(), locked.number()));
        await().atMost(Duration.ofMinutes(1)).until(() -> rounds.runOnce() > 0);
      }
      connection.rollback();
    }
    assertThat(row(stuck).progress().pages()).isZero();
    assertCounts(row(other), 2, 0, 0);

    rounds.runOnce();
    assertCounts(row(stuck), 2, 0, 0);
  }

  @Test
  void bulkOfATypeThatIsGoneFailsAndSaysWhy() {
    List<TaskId> ids = tasks(150, TaskStatus.WAITING);
    long id = started(preview("CANCEL", "status:waiting", ""));
    pages.next(row(id), TERM);

    jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = :type")
        .param("type", type.name())
        .update();
    await().until(() -> wire.get("/api/task/search?taskType=" + type).code() == NO_SUCH_TYPE);
    BulkRow bulk = runToTheEnd(id);

    assertThat(bulk.state()).isEqualTo(BulkState.FAILED);
    assertThat(bulk.error()).contains(type.name());
    assertCounts(bulk, BulkPages.PAGE, 0, 0);
    assertThat(ids.stream().filter(each -> given.row(each).status() == TaskStatus.WAITING))
        .hasSize(50);
  }

  @Test
  void previewsThatAreOverAreDeleted() {
    tasks(1, TaskStatus.WAITING);
    long id = preview("CANCEL", "status:waiting", "").path("bulkId").asLong();
    jdbc.sql("UPDATE t_bulk SET preview_end = 1 WHERE id = :id").param("id", id).update();

    bulkRetentionDuty.runOnce().get();

    assertThat(store.find(id)).isEmpty();
  }

  @Test
  void aStopTakesBackThePageThatIsUnderWayAndAResumeGoesOn() {
    List<TaskId> ids = tasks(250, TaskStatus.WAITING);
    long id = started(preview("CANCEL", "status:waiting", ""));
    pages.next(row(id), TERM);
    BulkRow underWay = row(id);

    ok(wire.post("/api/bulk/stop", "{'bulkId':'" + id + "','reason':'wait'}"));
    pages.next(underWay, TERM);

    assertThat(row(id).state()).isEqualTo(BulkState.STOPPED);
    assertCounts(row(id), BulkPages.PAGE, 0, 0);
    assertThat(ids.stream().filter(each -> given.row(each).status() == TaskStatus.CANCELLED))
        .hasSize(BulkPages.PAGE);

    ok(wire.post("/api/bulk/resume", "{'bulkId':'" + id + "'}"));
    assertCounts(runToTheEnd(id), 250, 0, 0);
    assertThat(acts(id)).isEqualTo(250);
    assertThat(wire.post("/api/bulk/stop", "{'bulkId':'" + id + "'}").code()).isEqualTo(8051);
  }

  /** Stops and resumes it, as if it had run for 100 seconds more and been stopped for hours. */
  private JsonNode resumedAfterHours(long id) {
    ok(wire.post("/api/bulk/stop", "{'bulkId':'" + id + "'}"));
    jdbc.sql(
            "UPDATE t_bulk SET start_time = start_time - 36100000,"
                + " modify_time = modify_time - 36000000 WHERE id = :id")
        .param("id", id)
        .update();
    assertThat(ok(wire.get("/api/bulk/get?bulkId=" + id)).has("perSecond")).isFalse();
    ok(wire.post("/api/bulk/resume", "{'bulkId':'" + id + "'}"));
    return ok(wire.get("/api/bulk/get?bulkId=" + id));
  }

  private static double secondsToTheEnd(JsonNode bulk) {
    return (bulk.path("endsAbout").asLong() - bulk.path("changeTime").asLong()) / 1_000.0;
  }

  @Test
  void theRateOfABulkIsThatOfTheTimeInWhichItRan() {
    tasks(250, TaskStatus.WAITING);
    long id = started(preview("CANCEL", "status:waiting", ""));
    pages.next(row(id), TERM);

    JsonNode once = resumedAfterHours(id);
    assertThat(once.path("perSecond").asDouble()).isBetween(0.6, 1.0);
    assertThat(secondsToTheEnd(once)).isBetween(150.0, 600.0);
    assertThat(resumedAfterHours(id).path("perSecond").asDouble()).isBetween(0.3, 0.5);
  }

  @Test
  void theEndOfABulkIsThatOfItsCapIfThatComesFirst() {
    tasks(250, TaskStatus.WAITING);
    long id = started(preview("CANCEL", "status:waiting", ",'cap':150"));
    pages.next(row(id), TERM);
    assertThat(secondsToTheEnd(resumedAfterHours(id))).isBetween(50.0, 300.0);

    jdbc.sql("UPDATE t_bulk SET is_exact = 0, expected = 200 WHERE id = :id")
        .param("id", id)
        .update();
    JsonNode counted = ok(wire.get("/api/bulk/get?bulkId=" + id));
    assertThat(secondsToTheEnd(counted)).as("at least its cap").isBetween(40.0, 300.0);
    jdbc.sql("UPDATE t_bulk SET expected = 120 WHERE id = :id").param("id", id).update();
    assertThat(ok(wire.get("/api/bulk/get?bulkId=" + id)).has("endsAbout"))
        .as("nobody knows how many there are")
        .isFalse();
  }

  @Test
  void ofTwoLeadersTheLaterOneGoesOnAndEachTaskIsActedOnOnce() {
    List<TaskId> ids = tasks(430, TaskStatus.FAILED);
    long id = started(preview("RETRY", "status:failed", ""));
    BulkRow begin = row(id);
    pages.next(begin, TERM);

    pages.next(row(id), TERM + 1);
    pages.next(begin, TERM); // woke up in the middle of its page
    pages.next(row(id), TERM); // has read the row anew, and still believes that it leads

    assertCounts(row(id), 2 * BulkPages.PAGE, 0, 0);
    List<CompletableFuture<Void>> leaders = new ArrayList<>();
    for (long term : List.of(TERM, TERM + 1)) {
      leaders.add(
          CompletableFuture.runAsync(
              () -> {
                for (BulkRow row = row(id); row.state() == BulkState.RUNNING; row = row(id)) {
                  pages.next(row, term);
                }
              },
              OtherThread::start));
    }
    leaders.forEach(CompletableFuture::join);

    assertCounts(row(id), 430, 0, 0);
    assertThat(acts(id)).isEqualTo(430);
    assertThat(
            jdbc.sql(
                    """
                    SELECT COUNT(*) FROM (
                      SELECT task_id FROM t_act WHERE task_id IN (:ids) GROUP BY task_id) x
                    """)
                .param("ids", ids.stream().map(TaskId::toString).toList())
                .query(Integer.class)
                .single())
        .isEqualTo(430);
  }

  @Test
  void aTaskOnWhichTheActBreaksDoesNotKeepTheOthersFromIt() {
    List<TaskId> ids = tasks(5, TaskStatus.EXECUTING);
    String table = ids.get(0).table().sqlName();
    jdbc.sql(
            "ALTER TABLE %s ADD CONSTRAINT chk_%s CHECK (NOT (id = %s AND status = 16))"
                .formatted(table, table, ids.get(2).number()))
        .update();

    long id = started(preview("CANCEL", "status:executing", ""));
    BulkRow bulk = runToTheEnd(id);

    assertCounts(bulk, 4, 0, 1);
    assertThat(bulk.progress().refusals().get(0).code()).isEqualTo(8099);
    assertThat(bulk.progress().refusals().get(0).taskId()).isEqualTo(ids.get(2).toString());
    assertThat(acts(id)).isEqualTo(4);
    // Later sweeps of other tests would meet it.
    jdbc.sql("DELETE FROM %s WHERE status = 2".formatted(table)).update();
  }

  @Test
  void namesEveryBadField() {
    assertErrors("{}", "act", "filter", "filter.q");
    assertErrors("{'act':'EXPLODE','filter':{}}", "act", "filter.q");
    assertErrors(
        "{'act':'SET_STATUS','filter':{'q':'nosuch:word','userid':'u','limit':3},'arguments':{'statuss':4}}",
        "arguments.statuss",
        "arguments.status",
        "filter.userid",
        "filter.limit",
        "filter.q");
    assertErrors(
        "{'act':'CANCEL','filter':{'q':'status:failed'},'arguments':{'status':4,'runAt':1},'cap':0}",
        "arguments.status",
        "arguments.runAt",
        "arguments.runAt",
        "cap");
    assertErrors("{'act':'RESCHEDULE','filter':{'q':'status:waiting'}}", "arguments.runAt");
  }

  private void assertErrors(String body, String... fields) {
    Answer answer = wire.post("/api/bulk/preview", body);
    assertThat(answer.code()).as(body).isEqualTo(INVALID);
    assertThat(answer.badFields()).as(body).containsExactlyInAnyOrder(fields);
  }

  @Test
  void listsWhatHasStartedTheNewestFirst() {
    tasks(1, TaskStatus.WAITING);
    long first = started(preview("PAUSE", "status:waiting", ""));
    preview("PAUSE", "status:waiting", "");
    long second = started(preview("PAUSE", "status:waiting", ""));

    JsonNode page = ok(wire.get("/api/bulk/list?limit=1"));
    JsonNode next =
        ok(wire.get("/api/bulk/list?limit=1&cursor=" + page.path("nextCursor").asString()));

    assertThat(page.path("bulks").path(0).path("bulkId").asLong()).isEqualTo(second);
    assertThat(next.path("bulks").path(0).path("bulkId").asLong()).isEqualTo(first);
    assertThat(wire.get("/api/bulk/get?bulkId=17").code()).isEqualTo(8041);
  }
}
