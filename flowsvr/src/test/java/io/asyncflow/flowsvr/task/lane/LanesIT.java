package io.asyncflow.flowsvr.task.lane;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.IdempotencyConflictException;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TransitionNotAllowedException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Which workers may hold a task. */
@UnsweptServer
@Tag("contract")
class LanesIT {

  private static final Reason RESTART = new Reason("ann", "");
  private static final Reason SET_WORKERS = new Reason("ann", "moved");

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired JdbcTemplate batch;
  @Autowired TransactionTemplate transaction;
  @Autowired TaskCreator creator;
  @Autowired TaskHolds holds;
  @Autowired TaskReporter reporter;
  @Autowired TaskFamilies families;
  @Autowired Lanes lanes;
  @Autowired LaneStore store;
  @Autowired LaneRetention retention;
  @Autowired OperatorActs acts;
  @Autowired ApplicationEventPublisher events;
  @LocalServerPort int port;

  private final List<CompletableFuture<List<Task>>> parked = new ArrayList<>();
  private TaskType lark;
  private Wire wire;

  @BeforeEach
  void aType() {
    lark = given.aType().create();
    wire = new Wire(port);
  }

  @AfterEach
  void nobodyStaysParked() {
    parked.forEach(answer -> answer.cancel(false));
  }

  private Given.AWaitingTask aTaskFor(String... workers) {
    return given.aWaitingTask().ofType(lark).forWorkers(workers);
  }

  private CompletableFuture<List<Task>> park(Given.AHold hold) {
    CompletableFuture<List<Task>> answer = hold.waiting(30, SECONDS);
    assertThat(answer).isNotDone();
    parked.add(answer);
    return answer;
  }

  private List<String> heldBy(String worker) {
    return given.aHold(lark).by(worker).limit(100).now().stream().map(Task::taskId).toList();
  }

  @Test
  void taskIsHeldByItsWorkersAlone() {
    TaskId id = aTaskFor("w2").create();
    assertThat(heldBy("w1")).isEmpty();
    assertThat(given.aHold(lark).byAnOldClient().now()).isEmpty();
    assertThat(given.aHold(lark).by("w1").ofStages("first").now()).isEmpty();
    assertThat(
            wire.post("/api/task/hold_task", "{'taskType':'%s','limit':10}".formatted(lark))
                .result()
                .path("taskList"))
        .isEmpty();
    assertThat(heldBy("w2")).containsExactly(id.toString());
  }

  @Test
  void manyPollersOfOtherWorkersNeverGetIt() {
    List<TaskId> mine = aTaskFor("w2", "w3").create(30);
    List<TaskId> open = given.aWaitingTask().ofType(lark).create(30);
    List<List<Task>> held =
        AtOnce.from(
            20,
            i -> {
              List<Task> tasks = new ArrayList<>();
              for (int round = 0; round < 20; round++) {
                String[] stages = i % 2 == 0 ? new String[0] : new String[] {"first"};
                tasks.addAll(given.aHold(lark).by("w1").limit(2).ofStages(stages).now());
              }
              return tasks;
            });
    assertThat(held.stream().flatMap(List::stream).map(Task::taskId))
        .containsExactlyInAnyOrderElementsOf(texts(open));
    assertThat(heldBy("w3")).containsExactlyInAnyOrderElementsOf(texts(mine));
  }

  private static List<String> texts(List<TaskId> ids) {
    return ids.stream().map(TaskId::toString).toList();
  }

  @Test
  void ofTasksDueAtTheSameTimeAWorkersOwnComeFirst() {
    TaskId open = given.aWaitingTask().ofType(lark).create();
    TaskId mine = aTaskFor("w1").create();
    TaskId earlier = given.aWaitingTask().ofType(lark).create();
    given.set(open, "order_time = 5000");
    given.set(mine, "order_time = 5000");
    given.set(earlier, "order_time = 4000");
    events.publishEvent(new TasksWaiting(lark));
    List<String> inOrder = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      inOrder.add(given.aHold(lark).by("w1").limit(1).theTask().taskId());
    }
    assertThat(inOrder).containsExactly(earlier.toString(), mine.toString(), open.toString());
  }

  @Test
  void oneClaimServesManyLanesStagesAndTables() {
    List<TaskId> ids = new ArrayList<>();
    for (String stage : List.of("first", "second", "third")) {
      ids.addAll(aTaskFor("w1").inStage(stage).create(5));
      ids.addAll(aTaskFor("w1", "w2").inStage(stage).create(5));
      ids.add(aTaskFor("w2").inStage(stage).create());
    }
    given.nextTable(lark);
    ids.addAll(aTaskFor("w1").create(5));
    assertThat(heldBy("w1")).hasSize(35);
    assertThat(heldBy("w1")).isEmpty();
    assertThat(heldBy("w2")).hasSize(3);
  }

  @Test
  void parkedHoldOfAWorkerIsWokenByATaskOfItsOwn() throws Exception {
    CompletableFuture<List<Task>> others = park(given.aHold(lark).by("w1"));
    CompletableFuture<List<Task>> named = park(given.aHold(lark).by("w1").ofStages("first"));
    CompletableFuture<List<Task>> mine = park(given.aHold(lark).by("w2").ofStages("first"));
    TaskId first = aTaskFor("w2").create(); // the first of the type
    assertThat(mine.get(20, SECONDS)).extracting(Task::taskId).containsExactly(first.toString());
    CompletableFuture<List<Task>> again = park(given.aHold(lark).by("w2"));
    TaskId later = aTaskFor("w2").dueIn(300, MILLISECONDS).create();
    assertThat(again.get(20, SECONDS)).extracting(Task::taskId).containsExactly(later.toString());
    assertThat(others).isNotDone();
    assertThat(named).isNotDone();
  }

  @Test
  void taskOfAnotherServerIsFoundByItsEventAndByTheScan() throws Exception {
    TaskId id = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
    CompletableFuture<List<Task>> byEvent = park(given.aHold(lark).by("w2"));
    CompletableFuture<List<Task>> named = park(given.aHold(lark).by("w3").ofStages("first"));
    anotherServerPuts(id, "w2");
    events.publishEvent(new TasksWaiting(lark, Set.of(), Set.of(), false));
    assertThat(byEvent.get(20, SECONDS)).hasSize(1);

    TaskId next = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
    anotherServerPuts(next, "w3");
    assertThat(named.get(20, SECONDS)).hasSize(1);
  }

  @Test
  void taskForOneOfManyParkedWorkersIsFoundHoweverManyArrive() throws Exception {
    List<CompletableFuture<List<Task>>> answers = new ArrayList<>();
    aTaskFor("w2").dueIn(1, HOURS).create(); // the type has lanes
    for (int worker = 0; worker < 300; worker++) {
      for (int i = 0; i < 5; i++) {
        jdbc.sql("INSERT IGNORE INTO t_lane_worker VALUES (:worker, :lane)")
            .param("worker", "fleet-" + worker)
            .param("lane", String.format(Locale.ROOT, "fleet%011d", (worker + i) % 300))
            .update();
      }
      answers.add(park(given.aHold(lark).by("fleet-" + worker)));
    }
    TaskId here = aTaskFor("fleet-17").create();
    assertThat(answers.get(17).get(20, SECONDS))
        .extracting(Task::taskId)
        .containsExactly(here.toString());
    TaskId later = aTaskFor("fleet-18").dueIn(300, MILLISECONDS).create();
    park(given.aHold(lark).by("fleet-300"));
    assertThat(answers.get(18).get(20, SECONDS))
        .extracting(Task::taskId)
        .containsExactly(later.toString());
    TaskId elsewhere = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
    anotherServerPuts(elsewhere, "fleet-19");
    assertThat(answers.get(19).get(20, SECONDS)).hasSize(1);
  }

  /** With all that is committed before, and no event. */
  private void anotherServerPuts(TaskId id, String worker) {
    String lane = Lane.of(Set.of(worker), 0);
    jdbc.sql("INSERT IGNORE INTO t_lane VALUES (:lane, :workers, 1)")
        .param("lane", lane)
        .param("workers", "[\"" + worker + "\"]")
        .update();
    jdbc.sql("INSERT IGNORE INTO t_lane_worker VALUES (:worker, :lane)")
        .param("worker", worker)
        .param("lane", lane)
        .update();
    jdbc.sql("UPDATE t_schedule_pos SET lanes = 1 WHERE task_type = :type")
        .param("type", lark.name())
        .update();
    given.set(id, "order_time = 1, lane = '" + lane + "'");
  }

  @Test
  void nextStageStaysInItsLaneUnlessTheReportSaysOtherwise() {
    TaskId id = aTaskFor("w1", "w2").create();
    Task task = given.aHold(lark).by("w1").theTask();
    given.reportOn(task).nextStage("second", null, null);
    assertThat(heldBy("w3")).isEmpty();

    task = given.aHold(lark).by("w2").theTask();
    report(given.reportOn(task).asNextStage("third", null, null).withWorkerIds(List.of("w3")));
    assertThat(heldBy("w1")).isEmpty();
    task = given.aHold(lark).by("w3").theTask();
    report(given.reportOn(task).asNextStage("fourth", null, null).withWorkerIds(List.of()));
    assertThat(given.row(id).lane()).isEmpty();
    assertThat(given.aHold(lark).byAnOldClient().theTask().taskStage()).isEqualTo("fourth");
  }

  private void report(Report report) {
    assertThat(reporter.report(Given.parsed(report)).get(0).outcome()).isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void retryStaysInItsLane() {
    aTaskFor("w1").create();
    given.reportOn(given.aHold(lark).by("w1").theTask()).retryAfterMs(0);
    assertThat(heldBy("w2")).isEmpty();
    assertThat(heldBy("w1")).hasSize(1);
  }

  @Test
  void childrenOfAJobWaitForTheirWorkers() {
    FlowClient client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    client.jobs().createJob(NewJob.of(lark.name(), "ann", ""));
    Task split = given.aHold(lark).by("w1").ofStages("split").theTask();
    List<JobChild> children =
        List.of(
            new JobChild("child", "0", null).withWorkerIds(List.of("w2")),
            new JobChild("child", "1", null),
            new JobChild("child", "2", null).withWorkerIds(List.of("w2", "w1")));
    client
        .jobs()
        .addJobChildren(new JobChildren(split.taskId(), "w1", split.leaseEpoch(), 0, children));
    given.reportOn(split).success(null);
    List<String> held = new ArrayList<>();
    await()
        .atMost(20, SECONDS)
        .until(
            () -> {
              given.aHold(lark).by("w1").ofStages("child").limit(9).now().stream()
                  .map(Task::taskContext)
                  .forEach(held::add);
              return held.size() == 2;
            });
    assertThat(held).containsExactlyInAnyOrder("1", "2");
    assertThat(given.aHold(lark).by("w2").ofStages("child").theTask().taskContext()).isEqualTo("0");
  }

  private void setWorkers(TaskId id, Set<String> workers) {
    Arguments with = new Arguments(false, null, null, workers, null);
    acts.act(id, TaskAct.SET_WORKERS, with, Expected.ANYTHING, SET_WORKERS);
  }

  @Test
  void newWorkersStopARunOfAnother() {
    TaskId id = aTaskFor("w1").create();
    Task task = given.aHold(lark).by("w1").theTask();
    CompletableFuture<List<Task>> next = park(given.aHold(lark).by("w2"));

    setWorkers(id, Set.of("w2"));

    assertThat(next.orTimeout(10, SECONDS).join()).hasSize(1);
    assertThat(beat(task)).isEqualTo("LOST");
    assertThat(given.reportOn(task).withId("r").success("x").code()).isEqualTo(8050);
    TaskRow row = given.row(id);
    assertThat(row.leaseEpoch()).isEqualTo(2);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.deliveryCount()).isZero();
    assertThat(row.scheduleLog()).contains("REVOKED");
    assertThat(actsOn(id)).containsExactly("SET_WORKERS ann moved");
  }

  private String beat(Task task) {
    return wire.post(
            "/api/worker/heartbeat",
            "{'workerId':'%s','tasks':[{'taskId':'%s','leaseEpoch':%s}]}"
                .formatted(task.workerId(), task.taskId(), task.leaseEpoch()))
        .result()
        .path("tasks")
        .path(0)
        .path("state")
        .asString();
  }

  private List<String> actsOn(TaskId id) {
    return jdbc.sql(
            "SELECT CONCAT(act, ' ', operator, ' ', reason) FROM t_act WHERE object = :task"
                + " ORDER BY id")
        .param("task", "task:" + id)
        .query(String.class)
        .list();
  }

  @Test
  void holderThatMayStayGoesOn() {
    TaskId id = aTaskFor("w1").create();
    Task task = given.aHold(lark).by("w1").theTask();
    setWorkers(id, Set.of("w2", "w1"));
    setWorkers(id, Set.of("w1", "w2")); // the same: no further act
    assertThat(beat(task)).isEqualTo("EXTENDED");
    assertThat(actsOn(id)).hasSize(1);
    setWorkers(id, Set.of());
    assertThat(given.reportOn(task).success("x").outcome()).isEqualTo(Verdict.ACCEPTED);
    assertThatThrownBy(() -> setWorkers(id, Set.of("w1")))
        .isInstanceOf(TransitionNotAllowedException.class);
  }

  @Test
  void lateReportOfAnOutsiderIsRefusedToo() {
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).by("w1").theTask();
    given.set(id, "status = 1"); // as after a sweep
    setWorkers(id, Set.of("w2"));
    assertThat(given.reportOn(task).success("x").code()).isEqualTo(8050);
    assertThat(heldBy("w1")).isEmpty();
    assertThat(heldBy("w2")).hasSize(1);
  }

  @Test
  void restartEndsARunAndTheTaskIsDueAgain() {
    TaskId id = given.aWaitingTask().ofType(lark).create();
    assertThatThrownBy(
            () -> acts.act(id, TaskAct.RESTART, Arguments.NONE, Expected.ANYTHING, RESTART))
        .isInstanceOf(TransitionNotAllowedException.class);
    Task task = given.aHold(lark).by("w1").theTask();
    acts.act(id, TaskAct.RESTART, Arguments.NONE, Expected.ANYTHING, RESTART);
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.reportedEpoch()).isEqualTo(1);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(beat(task)).isEqualTo("LOST");
    ReportResult late = given.reportOn(task).success("x");
    assertThat(late.code()).isEqualTo(8050);
    assertThat(late.msg()).isEqualTo("an operator ended the hold with the epoch 1");
    assertThat(given.aHold(lark).by("w1").theTask().leaseEpoch()).isEqualTo(2);
    assertThat(actsOn(id)).hasSize(1);
  }

  @Test
  void idempotencyKeyComparesTheWorkers() {
    TaskDraft draft = aTaskFor("w1").withKey("k").asDraft();
    TaskId id = creator.create(CreateCall.of(List.of(draft))).get(0);
    assertThat(creator.create(CreateCall.of(List.of(draft)))).containsExactly(id);
    assertThatThrownBy(
            () -> creator.create(CreateCall.of(List.of(draft.withWorkers(Set.of("w2"))))))
        .isInstanceOf(IdempotencyConflictException.class);
  }

  @Test
  void otherSetOfTheSameHashGetsALaneOfItsOwn() {
    Set<String> workers = Set.of("salty-" + lark.name());
    String taken = Lane.of(workers, 0);
    jdbc.sql("INSERT INTO t_lane VALUES (:lane, '[\"another\"]', 1)").param("lane", taken).update();
    jdbc.sql("INSERT INTO t_lane_worker VALUES ('another', :lane)").param("lane", taken).update();

    String lane = lanes.of(workers, table());

    assertThat(lane).isEqualTo(Lane.of(workers, 1));
    assertThat(lanes.workersOf(lane)).isEqualTo(workers);
    assertThat(lanes.workersOf(taken)).containsExactly("another");
  }

  private TaskTable table() {
    return families.of(lark).end();
  }

  @Test
  void laneStaysWhileATableMayHaveItsTasks() {
    Set<String> workers = new TreeSet<>(Set.of("old-" + lark.name()));
    String lane = lanes.of(workers, table());
    jdbc.sql("UPDATE t_lane SET use_time = 1 WHERE lane = :lane").param("lane", lane).update();
    retention.runOnce();
    assertThat(lanes.workersOf(lane)).isEqualTo(workers);

    jdbc.sql("DELETE FROM t_lane_table WHERE lane = :lane").param("lane", lane).update();
    jdbc.sql(
            "UPDATE t_lane SET use_time = CAST(UNIX_TIMESTAMP() AS SIGNED) * 1000 - 2505600000"
                + " WHERE lane = :lane")
        .param("lane", lane)
        .update(); // 29 days
    retention.runOnce();
    assertThat(lanes.workersOf(lane)).isEqualTo(workers);

    jdbc.sql("UPDATE t_lane SET use_time = 1 WHERE lane = :lane").param("lane", lane).update();
    retention.runOnce();
    assertThat(lanes.workersOf(lane)).isEmpty();
    assertThat(jdbc.sql("SELECT lane FROM t_lane").query(String.class).list()).doesNotContain(lane);
  }

  @Test
  void getTaskTellsTheWorkers() {
    FlowClient flow = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    TaskId id = aTaskFor("w2", "w1").create();
    assertThat(flow.getTask(id.toString()).workerIds()).containsExactly("w1", "w2");
    flow.setWorkers(id.toString(), List.of());
    assertThat(flow.getTask(id.toString()).workerIds()).isNull();
  }

  @Test
  void lanesOfATypeAreShown() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    LaneCounts counts = new LaneCounts(store, new TaskMeters(meters));
    aTaskFor("w1").create();
    aTaskFor("w1", "w2").create();
    aTaskFor("w2", "w1").create();
    counts.runOnce();
    assertThat(shown(meters)).isEqualTo(2);

    jdbc.sql("DELETE FROM t_lane_table WHERE task_type = :type")
        .param("type", lark.name())
        .update();
    counts.runOnce();
    assertThat(meters.find("asyncflow.lanes").tag("type", lark.name()).gauge()).isNull();
  }

  private double shown(SimpleMeterRegistry meters) {
    return meters.get("asyncflow.lanes").tag("type", lark.name()).gauge().value();
  }

  @Test
  void useOfADroppedTableIsForgotten() {
    TaskTable gone = new TaskTable(lark, 1_000_000);
    String lane = Lane.of(Set.of("gone-" + lark.name()), 0);
    jdbc.sql("INSERT INTO t_lane_table VALUES (:lane, :type, :number)")
        .param("lane", lane)
        .param("type", lark.name())
        .param("number", gone.number())
        .update();
    retention.runOnce();
    assertThat(jdbc.sql("SELECT lane FROM t_lane_table").query(String.class).list())
        .doesNotContain(lane);
  }

  @Test
  void refusedCallMakesNoLane() {
    TaskId id = aTaskFor("w1").create();
    Task task = given.aHold(lark).by("w1").theTask();
    given.reportOn(task).success("x");
    Set<String> mine = Set.of("refused-" + lark.name());
    Report late = given.reportOn(task).asNextStage("second", null, null);
    assertThat(
            reporter.report(Given.parsed(late.withWorkerIds(List.copyOf(mine)))).get(0).outcome())
        .isNotEqualTo(Verdict.ACCEPTED);
    assertThatThrownBy(() -> setWorkers(id, mine))
        .isInstanceOf(TransitionNotAllowedException.class);
    TaskId none = new TaskId(id.number() + 1, id.table());
    assertThatThrownBy(() -> setWorkers(none, mine)).isInstanceOf(TaskNotFoundException.class);
    assertThat(lanes.workersOf(Lane.of(mine, 0))).isEmpty();
  }

  @Test
  void callWithTooManySetsOfWorkersIsRefused() {
    String tasks =
        IntStream.range(0, 101)
            .mapToObj(
                i ->
                    "{'taskType':'%s','taskStage':'s','userId':'u','workerIds':['set-%s']}"
                        .formatted(lark, i))
            .collect(joining(","));
    Wire.Answer answer = wire.post("/api/task/createTasks", "{'taskDataList':[" + tasks + "]}");
    assertThat(answer.code()).isEqualTo(8020);
    assertThat(answer.badFields()).containsExactly("taskDataList");
    assertThat(lanes.workersOf(Lane.of(Set.of("set-0"), 0))).isEmpty();
  }

  @Test
  void lanesOfACallAreMadeInOneTransaction() {
    Set<Set<String>> sets =
        IntStream.range(0, 100).mapToObj(i -> Set.of(lark.name() + i, "both")).collect(toSet());
    List<Map<Set<String>, String>> found = AtOnce.from(4, i -> lanes.ofEach(sets, table()));
    assertThat(found).allSatisfy(laneOf -> assertThat(laneOf).hasSize(100).isEqualTo(found.get(0)));
    found.get(0).forEach((set, lane) -> assertThat(lanes.workersOf(lane)).isEqualTo(set));
  }

  @Test
  void retentionReadsAPageOfLanesHoweverManyTheTablesHave() {
    List<Object[]> uses = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      uses.add(
          new Object[] {String.format(Locale.ROOT, "%016d", i), lark.name(), table().number()});
    }
    batch.batchUpdate("INSERT INTO t_lane_table VALUES (?, ?, ?)", uses);
    jdbc.sql("ANALYZE TABLE t_lane_table").query().listOfRows();
    assertThat(rowsReadBy(store::droppedTables)).isLessThan(2_500);
    assertThat(rowsReadBy(() -> store.pageBehind("", Duration.ofDays(30), 10))).isLessThan(30);
    jdbc.sql("DELETE FROM t_lane_table WHERE task_type = :type")
        .param("type", lark.name())
        .update();
  }

  private long rowsReadBy(Runnable work) {
    return transaction.execute(
        status -> {
          long before = rowsRead();
          work.run();
          return rowsRead() - before;
        });
  }

  private long rowsRead() {
    return jdbc
        .sql("SHOW SESSION STATUS LIKE 'Handler_read%'")
        .query((rs, i) -> rs.getLong(2))
        .list()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  @Test
  void everyBadSetOfWorkersIsRefused() {
    for (String bad :
        List.of(
            "[]", "['']", "[' w']", "7.5", "{}", "['a',{}]", "'%s'".formatted("w".repeat(65)))) {
      Wire.Answer answer =
          wire.post(
              "/api/task/createTask",
              "{'taskData':{'taskType':'%s','taskStage':'s','userId':'u','workerIds':%s}}"
                  .formatted(lark, bad));
      assertThat(answer.code()).as(bad).isEqualTo(8020);
      assertThat(answer.badFields()).as(bad).containsExactly("taskData.workerIds");
    }
    assertThat(wire.post("/api/task/setWorkers", "{'taskId':'x'}").badFields())
        .containsExactlyInAnyOrder("taskId", "workerIds");
    assertThat(wire.post("/api/task/restart", "{}").badFields()).containsExactly("taskId");
  }

  @Test
  void actsOverHttp() {
    TaskId id = given.aWaitingTask().ofType(lark).dueSince(5, MINUTES).create();
    String workers = "{'taskId':'%s','workerIds':['w1']}".formatted(id);
    assertThat(wire.post("/api/task/setWorkers", workers).code()).isZero();
    String task = "{'taskId':'%s'}".formatted(id);
    assertThat(wire.post("/api/task/restart", task).code()).isEqualTo(8051);
    assertThat(heldBy("w2")).isEmpty();
    assertThat(heldBy("w1")).hasSize(1);
    assertThat(wire.post("/api/task/restart", task).code()).isZero();
    assertThat(
            wire.get("/api/task/getActs?taskId=" + id)
                .result()
                .path("acts")
                .valueStream()
                .map(act -> act.path("act").asString() + act.path("statusBefore").asInt()))
        .containsExactly("RESTART2", "SET_WORKERS1");
  }
}
