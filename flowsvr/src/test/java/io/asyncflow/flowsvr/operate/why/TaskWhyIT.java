package io.asyncflow.flowsvr.operate.why;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.api.find.Why;
import io.asyncflow.api.find.WhyReason;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DatabaseClock;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Each reason, by a state that has it; and the history of tasks. */
@UnsweptServer
@Tag("contract")
class TaskWhyIT {

  private static final Reason ADA = new Reason("ada", "because");
  private static final String TEAM = "team = '{\"workers\":2,\"taskStage\":\"first\"}'";
  private static final AtomicLong NUMBERS = new AtomicLong(900_000);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired WhyStore store;
  @Autowired TaskStore tasks;
  @Autowired JobStore jobs;
  @Autowired JobTaskStore children;
  @Autowired Lanes lanes;
  @Autowired TaskHistories histories;
  @Autowired TaskFamilies families;
  @Autowired TaskTypes types;
  @Autowired Node node;
  @Autowired TaskHolds holds;
  @Autowired ReadDatabase reads;
  @Autowired OperatorActs acts;

  private Why why(TaskId id) {
    return why(id, TestCallers.ADMIN);
  }

  /** By an instance of its own, which has not seen any workers yet. */
  private Why why(TaskId id, Caller caller) {
    TaskWhy fresh = new TaskWhy(store, tasks, jobs, children, lanes, families, types, node, holds);
    return reads.inTurn(() -> fresh.of(id, caller));
  }

  private Why whyOfChild(long job, int index) {
    TaskWhy fresh = new TaskWhy(store, tasks, jobs, children, lanes, families, types, node, holds);
    return reads.inTurn(() -> fresh.ofChild(job, index, TestCallers.ADMIN));
  }

  private static WhyReason reason(Why why, String code) {
    List<WhyReason> found =
        why.reasons().stream().filter(reason -> reason.code().equals(code)).toList();
    assertThat(found).as("%s in %s", code, why.reasons()).hasSize(1);
    return found.get(0);
  }

  private static List<String> codes(Why why) {
    return why.reasons().stream().map(WhyReason::code).toList();
  }

  private TaskId due(TaskType type) {
    return given.aWaitingTask().ofType(type).dueSince(1, MINUTES).create();
  }

  /** A worker that was heard of just now. */
  private void worker(String id, TaskType type, String more) {
    String description =
        "{\"stages\":[\"%s/first\"],\"freeThreads\":{\"%s\":1}%s}".formatted(type, type, more);
    jdbc.sql(
            DatabaseClock.sql(
                """
                INSERT INTO t_worker (worker_id, description, first_time, beat_time)
                VALUES (:id, :description, now_ms, now_ms + 600000)
                ON DUPLICATE KEY UPDATE description = VALUES(description)
                """))
        .param("id", id)
        .param("description", description)
        .update();
  }

  private void pause(int kind, String name) {
    jdbc.sql(
            DatabaseClock.sql(
                """
                INSERT INTO t_pause (kind, name, operator, reason, pause_time)
                VALUES (:kind, :name, 'ada', 'because', now_ms)
                """))
        .param("kind", kind)
        .param("name", name)
        .update();
  }

  private void unpause(String name) {
    jdbc.sql("DELETE FROM t_pause WHERE name = :name").param("name", name).update();
  }

  // waiting

  @Test
  void whatIsNotDueYetWaitsForItsTime() {
    TaskType type = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(type).dueIn(1, HOURS).create();

    Why why = why(id);

    assertThat(why.headline()).isEqualTo("NOT_DUE");
    assertThat(reason(why, "NOT_DUE").until()).isEqualTo(given.row(id).orderTime());
    assertThat(reason(why, "NOT_DUE").todo()).isEqualTo("RUN_NOW");
    assertThat(why.ahead()).isNull();
  }

  @Test
  void aFailureAndASnoozeHaveDelays() {
    TaskType type = given.aType().create();
    TaskId failed = due(type);
    given.reportOn(given.aHold(type).theTask()).retry("no tape");
    TaskId snoozed = due(type);
    given.reportOn(given.aHold(type).theTask()).snooze(3_600_000);

    WhyReason backoff = reason(why(failed), "BACKOFF");
    assertThat(backoff.data())
        .containsEntry("attempt", 2)
        .containsEntry("of", 4)
        .containsEntry("lastError", "no tape");
    assertThat(codes(why(snoozed))).startsWith("SNOOZED");
    Caller reader = TestCallers.of(Role.READER, Scope.ALL);
    assertThat(reason(why(failed, reader), "BACKOFF").data()).doesNotContainKey("lastError");
  }

  @Test
  void aTaskMadeAheadWaitsForItsFireTime() {
    TaskType type = given.aType().create();
    long later = node.wallClock().toEpochMilli() + 3_600_000;
    TaskId id =
        given.aWaitingTask().ofType(type).dueIn(1, HOURS).firedBy(new FireId(7, later)).create();

    assertThat(reason(why(id), "FIRE_AHEAD").data())
        .containsEntry("scheduleId", "7")
        .containsEntry("fireTime", later);
  }

  @Test
  void pausesOfTypesStagesAndWorkersAreNamedWithWhoSetThem() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    worker("paused-w", type, "");
    pause(1, type.name());
    pause(2, type.name() + "/first");
    pause(3, "paused-w");
    try {
      assertThat(codes(why(id))).contains("STAGE_PAUSED", "WORKERS_PAUSED");
      given.change(type, "paused", 1);

      Why why = why(id);

      assertThat(codes(why)).startsWith("TYPE_PAUSED", "STAGE_PAUSED", "WORKERS_PAUSED");
      assertThat(reason(why, "TYPE_PAUSED").data())
          .containsEntry("by", "ada")
          .containsEntry("reason", "because");
    } finally {
      unpause(type.name());
      unpause(type.name() + "/first");
      unpause("paused-w");
    }
  }

  @Test
  void aTypeWhoseConfigurationIsGoneIsUnknown() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = :type")
        .param("type", type.name())
        .update();
    given.change(type, "paused", 0);

    assertThat(codes(why(id))).containsExactly("TYPE_UNKNOWN");
  }

  @Test
  void limitsOfATypeAreSaid() {
    TaskType type = given.aType().with("max_executing", 1).with("rate_limit", 1).create();
    due(type);
    TaskId second = due(type);
    given.aHold(type).limit(1).theTask();

    assertThat(reason(why(second), "LIMIT_EXECUTING").data())
        .containsEntry("executing", 1)
        .containsEntry("limit", 1);
    await()
        .untilAsserted(
            () -> {
              jdbc.sql(
                      """
                      UPDATE t_type_limit
                      SET spent_until = CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)
                      WHERE task_type = :type
                      """)
                  .param("type", type.name())
                  .update();
              assertThat(reason(why(second), "LIMIT_RATE").data()).containsEntry("perSecond", 1);
            });
  }

  @Test
  void withoutALiveWorkerOfTheStageNothingRuns() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    worker("other-w", type, "");
    jdbc.sql(
            "UPDATE t_worker SET description = REPLACE(description, '/first', '/second')"
                + " WHERE worker_id = 'other-w'")
        .update();
    worker("lost-w", type, "");
    jdbc.sql("UPDATE t_worker SET beat_time = beat_time - 1200000 WHERE worker_id = 'lost-w'")
        .update();
    worker("leaving-w", type, "");
    worker("stopped-w", type, ",\"states\":{\"worker\":\"STOPPED\"}");
    jdbc.sql("UPDATE t_worker SET drain = 1 WHERE worker_id IN ('leaving-w', 'stopped-w')")
        .update();

    WhyReason none = reason(why(id), "NO_WORKER");

    assertThat(none.blocking()).isTrue();
    assertThat(none.data())
        .containsEntry("others", List.of("other-w"))
        .containsEntry("lost", List.of("lost-w"))
        .containsEntry("draining", List.of("leaving-w"));
    assertThat(none.text()).contains(type + "/first").contains("other-w");
    Caller scoped =
        TestCallers.of(
            Role.READER, new Scope(Names.of(List.of(type.name())), Names.ALL, Names.ALL, "lost-"));
    assertThat(reason(why(id, scoped), "NO_WORKER").data())
        .containsEntry("others", List.of())
        .containsEntry("lost", List.of("lost-w"));
  }

  @Test
  void clientsThatDescribeNothingMayHoldTheTasks() {
    TaskType type = given.aType().create();
    due(type);
    TaskId id = due(type);
    given.aHold(type).byAnOldClient().limit(1).theTask();

    Why why = why(id);

    assertThat(codes(why)).contains("UNLISTED_POLLERS").doesNotContain("NO_WORKER");
    assertThat(reason(why, "UNLISTED_POLLERS").data()).containsEntry("heldLast2Min", 1);
  }

  @Test
  void clientsThatDescribeNothingMayAskAgainSoon() {
    TaskType type = given.aType().create();
    given.aHold(type).byAnOldClient().now();

    Why why = why(due(type));

    assertThat(codes(why)).contains("UNLISTED_POLLERS").doesNotContain("NO_WORKER");
    assertThat(reason(why, "UNLISTED_POLLERS").data()).containsEntry("heldLast2Min", 0);
  }

  @Test
  void theEndOfAnOldWorkersTaskIsAFailureOfItsOwn() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.aHold(type).byAnOldClient().theTask();
    String log = "{\"historyDatas\":[{}],\"lastData\":{\"cost\":\"9\",\"errMsg\":\"no tape\"}}";
    given.set(id, "status = 8, schedule_log = '" + log + "'");

    assertThat(reason(why(id), "FAILED_FINAL").data())
        .containsEntry("verdict", "FAIL")
        .containsEntry("lastError", "no tape");
    assertThat(reads.inTurn(() -> histories.of(id, TestCallers.ADMIN)).entries())
        .extracting(HistoryEntry::kind)
        .containsExactly("CREATED", "CURRENT");
  }

  @Test
  void aTaskOfSomeWorkersWaitsForThem() {
    TaskType type = given.aType().create();
    worker("free-w", type, "");
    TaskId id = given.aWaitingTask().ofType(type).forWorkers("absent-w").create();

    assertThat(reason(why(id), "LANE_NO_WORKER").data())
        .containsEntry("workerIds", List.of("absent-w"))
        .containsEntry("alive", List.of());
  }

  @Test
  void aCopyOfATeamWaitsForItsWorkerOrIsMoved() {
    TaskType type = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(type).forWorkers("team-w").create();
    long job = job(type, "RUNNING", null, null, TEAM);
    given.set(id, "job_id = " + job + ", job_index = 0, job_copies = 2");
    try {
      assertThat(codes(why(id))).contains("LANE_NO_WORKER", "TEAM_WAITS");
    } finally {
      forget(job);
    }
  }

  @Test
  void workersThatAreTooOldGetNothing() {
    TaskType type = given.aType().with("min_worker_version", 5).create();
    TaskId id = due(type);
    worker("old-w", type, ",\"version\":4");

    assertThat(reason(why(id), "WORKER_TOO_OLD").data())
        .containsEntry("minVersion", 5)
        .containsEntry("workers", List.of("old-w"));
    worker("new-w", type, ",\"version\":5");
    assertThat(codes(why(id))).doesNotContain("WORKER_TOO_OLD");
  }

  @Test
  void fullStuckAndQuarantinedWorkersAreNotAbsent() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    worker(
        "full-w", type, ",\"states\":{\"stuck\":\"2\"},\"freeThreads\":{\"%s\":0}".formatted(type));

    assertThat(codes(why(id)))
        .contains("WORKERS_FULL", "HANDLERS_STUCK")
        .doesNotContain("NO_WORKER");
    assertThat(reason(why(id), "HANDLERS_STUCK").data()).containsEntry("stuck", 2);

    worker(
        "full-w", type, ",\"states\":{\"quarantined\":\"cuda:0/1\"},\"freeSlots\":{\"cuda:0\":0}");
    assertThat(reason(why(id), "SLOTS_QUARANTINED").data())
        .containsEntry("slots", List.of("full-w: cuda:0/1"));
  }

  @Test
  void workerThatLacksLabelsHasAHandlerAllTheSame() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    worker(
        "plain-w",
        type,
        ",\"withheld\":[{\"stage\":\"%s/first\",\"requires\":[\"gpu\",\"model=kokoro\"]}]"
            .formatted(type.name().toUpperCase(java.util.Locale.ROOT)));
    jdbc.sql(
            "UPDATE t_worker SET description = REPLACE(description, '\"stages\":[\"%s/first\"]',"
                    .formatted(type)
                + " '\"stages\":[]') WHERE worker_id = 'plain-w'")
        .update();

    Why why = why(id);

    assertThat(codes(why)).containsExactly("LABELS_MISSING", "NO_WORKER");
    assertThat(reason(why, "LABELS_MISSING").data())
        .containsEntry("stage", "first")
        .containsEntry("requires", List.of("gpu", "model=kokoro"))
        .containsEntry("workers", List.of("plain-w"));
    Caller scoped =
        TestCallers.of(
            Role.READER, new Scope(Names.of(List.of(type.name())), Names.ALL, Names.ALL, "other-"));
    assertThat(codes(why(id, scoped))).containsExactly("NO_WORKER");
    worker("able-w", type, "");
    assertThat(codes(why(id))).doesNotContain("LABELS_MISSING");
  }

  @Test
  void modelThatIsLoadedElsewhereIsPreferredForASecond() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    String models = ",\"models\":{\"%s/first\":\"kokoro\"}".formatted(type);
    worker("warm-w", type, models + ",\"loaded\":[\"kokoro\"]");
    worker("cold-w", type, models + ",\"loaded\":[\"bark\"]");

    await()
        .untilAsserted(
            () -> {
              given.set(id, DatabaseClock.sql("order_time = now_ms - 100"));
              assertThat(reason(why(id), "MODEL_PREFERRED").data())
                  .containsEntry("model", "kokoro")
                  .containsEntry("workers", List.of("warm-w"));
            });
    given.set(id, DatabaseClock.sql("order_time = now_ms - 2000"));
    assertThat(codes(why(id))).doesNotContain("MODEL_PREFERRED");
  }

  @Test
  void tasksThatStandBeforeItAreCountedToALimit() {
    TaskType type = given.aType().create();
    worker("busy-w", type, "");
    TaskId first = due(type);
    TaskId second = due(type);
    TaskId third = due(type);
    given.set(second, "order_time = order_time + 10");
    given.set(third, "order_time = order_time + 20");

    assertThat(why(third).ahead()).isEqualTo(BoundedCount.exactly(2));
    assertThat(codes(why(third))).containsExactly("BEHIND");
    assertThat(why(first).ahead()).isEqualTo(BoundedCount.ZERO);
    given.copies(first, 1, 2_000, "order_time = order_time - 1000");
    assertThat(why(third).ahead()).isEqualTo(BoundedCount.atLeast(1_001));
  }

  @Test
  void aDueTaskThatNothingHoldsUpIsABug() {
    TaskType type = given.aType().create();
    worker("idle-w", type, "");
    TaskId id = due(type);

    assertThat(codes(why(id))).containsExactly("RAN_TO_NOBODY");
  }

  @Test
  void aPausedTaskNamesItsOperator() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    acts.act(id, TaskAct.PAUSE, Arguments.NONE, Expected.ANYTHING, ADA);

    Why why = why(id);

    assertThat(codes(why)).containsExactly("TASK_PAUSED");
    assertThat(reason(why, "TASK_PAUSED").data())
        .containsEntry("by", "ada")
        .containsEntry("reason", "because");
  }

  // jobs

  private long job(TaskType type, String state, Integer window, Integer pause, String more) {
    long id = NUMBERS.incrementAndGet();
    jdbc.sql(
            DatabaseClock.sql(
                """
                INSERT INTO t_job (id, user_id, job_type, child_type, body_hash, input_bytes, state,
                  split_number, split_table, total, released, release_window, pause, create_time,
                  modify_time)
                VALUES (:id, 'somebody', :type, :type, REPEAT('x', 32), 0, :state, 1, 1, 10, 2,
                  :window, :pause, now_ms, now_ms)
                """))
        .param("id", id)
        .param("type", type.name())
        .param("state", state)
        .param("window", window)
        .param("pause", pause)
        .update();
    if (more != null) {
      jdbc.sql("UPDATE t_job SET " + more + " WHERE id = " + id).update();
    }
    return id;
  }

  private void forget(long job) {
    jdbc.sql("DELETE FROM t_job WHERE id = " + job).update();
  }

  @Test
  void aJobHoldsItsTasks() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    long job = job(type, "STOPPING", null, 1, null);
    given.set(id, "job_id = " + job + ", job_index = 0");
    try {
      assertThat(codes(why(id))).contains("JOB_PAUSED", "JOB_HOLDS");
      given.set(id, "status = 32");
      assertThat(codes(why(id))).containsExactly("JOB_PAUSED", "JOB_HOLDS");
    } finally {
      forget(job);
    }
  }

  @Test
  void aChildThatIsNoTaskYetWaitsForItsJob() {
    TaskType type = given.aType().create();
    long windowed = job(type, "RUNNING", 2, null, null);
    long paused = job(type, "RUNNING", null, 1, null);
    long team = job(type, "RUNNING", null, null, TEAM);
    long splitting = job(type, "SPLITTING", null, null, "total = NULL");
    try {
      assertThat(reason(whyOfChild(windowed, 5), "JOB_WINDOW").data())
          .containsEntry("window", 2)
          .containsEntry("inFlight", 2);
      assertThat(codes(whyOfChild(paused, 5))).startsWith("JOB_PAUSED");
      assertThat(codes(whyOfChild(team, 5))).containsExactly("TEAM_WAITS");
      assertThat(codes(whyOfChild(splitting, 5))).containsExactly("JOB_HOLDS");
      assertThatThrownBy(() -> whyOfChild(windowed, 10)).isInstanceOf(FlowException.class);
      assertThatThrownBy(() -> whyOfChild(1, 0)).isInstanceOf(FlowException.class);
    } finally {
      List.of(windowed, paused, team, splitting).forEach(this::forget);
    }
  }

  // executing

  @Test
  void aHeldTaskNamesItsWorkerWhileItsLeaseLives() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.aHold(type).by("holder-w").theTask();

    assertThat(codes(why(id))).containsExactly("HELD");
    assertThat(reason(why(id), "HELD").data()).containsEntry("worker", "holder-w");

    given.set(id, "hold_time = hold_time - 20000");
    assertThat(codes(why(id))).containsExactly("HELD", "WORKER_SILENT");

    given.letPass(1, HOURS, id);
    assertThat(codes(why(id))).containsExactly("LEASE_OVER");
  }

  @Test
  void aTaskMayBeHeldAndNotBegun() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.aHold(type).by("full-w").theTask();
    worker("full-w", type, ",\"queued\":[\"%s\",\"7_x_task_1\"]".formatted(id));

    assertThat(codes(why(id))).containsExactly("HELD", "QUEUED_AT_WORKER");
    assertThat(reason(why(id), "QUEUED_AT_WORKER").data())
        .containsEntry("worker", "full-w")
        .containsEntry("queued", 2);
    worker("full-w", type, ",\"queued\":[\"7_x_task_1\"]");
    assertThat(codes(why(id))).containsExactly("HELD");
  }

  @Test
  void aHolderWithoutAnIdSendsNoHeartbeats() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.aHold(type).byAnOldClient().theTask();

    assertThat(codes(why(id))).containsExactly("HELD", "NO_HEARTBEATS");
  }

  // ended

  @Test
  void anEndIsExplained() {
    TaskType type = given.aType().with("max_retry_num", 0).create();
    TaskId failed = due(type);
    given.reportOn(given.aHold(type).theTask()).fail("no tape");
    TaskId exhausted = due(type);
    given.reportOn(given.aHold(type).theTask()).retry("still no tape");
    TaskId done = due(type);
    given.reportOn(given.aHold(type).theTask()).success("x");
    TaskId cancelled = due(type);
    acts.act(cancelled, TaskAct.CANCEL, Arguments.NONE, Expected.ANYTHING, ADA);
    TaskId forced = due(type);
    acts.act(
        forced, TaskAct.SET_STATUS, Arguments.status(TaskStatus.FAILED), Expected.ANYTHING, ADA);

    assertThat(reason(why(failed), "FAILED_FINAL").data())
        .containsEntry("verdict", "FAIL")
        .containsEntry("lastError", "no tape");
    assertThat(reason(why(exhausted), "FAILED_FINAL").data()).containsEntry("verdict", "EXHAUSTED");
    assertThat(reason(why(forced), "FAILED_FINAL").data())
        .containsEntry("verdict", "OPERATOR")
        .containsEntry("operator", "ada");
    assertThat(reason(why(cancelled), "CANCELLED_BY").data())
        .containsEntry("operator", "ada")
        .containsEntry("reason", "because");
    assertThat(codes(why(done))).containsExactly("DONE");
  }

  @Test
  void whatTheCallerDoesNotReachIsNoTask() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    Caller another =
        TestCallers.of(
            Role.ADMIN, new Scope(Names.of(List.of("another")), Names.ALL, Names.ALL, ""));
    Caller ofUsers =
        TestCallers.of(Role.ADMIN, new Scope(Names.ALL, Names.ALL, Names.of(List.of("bob")), ""));

    for (Caller caller : List.of(another, ofUsers)) {
      assertThatThrownBy(() -> why(id, caller)).isInstanceOf(FlowException.class);
      assertThatThrownBy(() -> reads.inTurn(() -> histories.of(id, caller)))
          .isInstanceOf(FlowException.class);
    }
  }

  // history

  @Test
  void theHistoryHasTheEndsOfHoldsAndTheActs() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.reportOn(given.aHold(type).by("w1").theTask()).nextStage("second", "{}", null);
    given.reportOn(given.aHold(type).by("w2").theTask()).retryAfterMs(0);
    acts.act(id, TaskAct.PAUSE, Arguments.NONE, Expected.ANYTHING, ADA);
    acts.act(id, TaskAct.RESUME, Arguments.NONE, Expected.ANYTHING, ADA);
    Task held = given.aHold(type).by("w3").theTask();

    TaskHistory history = reads.inTurn(() -> histories.of(id, TestCallers.ADMIN));

    assertThat(history.gaps()).isFalse();
    assertThat(history.entries())
        .extracting(HistoryEntry::kind)
        .containsExactly("CREATED", "REPORT", "REPORT", "ACT", "ACT", "HELD", "CURRENT");
    HistoryEntry retry = history.entries().get(2);
    assertThat(retry.outcome()).isEqualTo("RETRY");
    assertThat(retry.stage()).isEqualTo("second");
    assertThat(retry.workerId()).isEqualTo("w2");
    assertThat(retry.errMsg()).isEqualTo("no");
    assertThat(history.entries().get(3).operator()).isEqualTo("ada");
    assertThat(history.entries().get(5).leaseEpoch()).isEqualTo(held.leaseEpoch());
    Caller reader = TestCallers.of(Role.READER, Scope.ALL);
    assertThat(reads.inTurn(() -> histories.of(id, reader)).entries())
        .extracting(HistoryEntry::errMsg)
        .containsOnlyNulls();
  }

  @Test
  void endsThatTheLogHasLostAreGaps() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    for (int i = 0; i < 7; i++) {
      given.reportOn(given.aHold(type).theTask()).release();
    }

    TaskHistory history = reads.inTurn(() -> histories.of(id, TestCallers.ADMIN));

    assertThat(history.gaps()).isTrue();
    assertThat(history.entries()).hasSize(8);
    given.set(id, "schedule_log = 'some text'");
    assertThat(reads.inTurn(() -> histories.of(id, TestCallers.ADMIN)).entries()).hasSize(2);
  }

  @Test
  void anAnswerReadsABoundedNumberOfEntries() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.copies(id, 1, 5_000, "order_time = order_time - 60000");
    given.copies(
        id,
        10_000,
        5_000,
        "status = 2, worker_id = 'w', lease_epoch = 1, hold_time = create_time,"
            + " lease_end = create_time + 86400000");
    jdbc.sql("ANALYZE TABLE " + id.table().sqlName()).query().listOfRows();
    why(id);

    long before = rowsRead();
    why(id);

    long withHolders = rowsRead() - before;
    assertThat(withHolders).isLessThanOrEqualTo(2_100);

    worker("w-" + type, type, "");
    why(id);
    before = rowsRead();
    why(id);
    assertThat(rowsRead() - before)
        .as("who executes tasks of a stage that a worker describes is not read")
        .isLessThanOrEqualTo(withHolders - 90); // a hundred, and one worker more
  }

  @Test
  void limitIsJudgedHoweverHighItIs() {
    TaskType full = given.aType().with("max_executing", 1_002).create();
    TaskType hasRoom = given.aType().with("max_executing", 1_003).create();
    for (TaskType type : List.of(full, hasRoom)) {
      TaskId id = due(type);
      given.copies(
          id,
          1,
          1_002,
          "status = 2, worker_id = 'w', lease_epoch = 1, hold_time = create_time,"
              + " lease_end = create_time + 86400000");
      assertThat(codes(why(id)).contains("LIMIT_EXECUTING")).isEqualTo(type.equals(full));
    }
  }

  @Test
  void jobThatTheCallerDoesNotSeeIsNotShown() {
    TaskType type = given.aType().create();
    TaskType ofJob = given.aType().create();
    TaskId id = due(type);
    long job = job(ofJob, "STOPPING", null, 1, null);
    given.set(id, "job_id = " + job + ", job_index = 0");
    Caller scoped =
        TestCallers.of(
            Role.ADMIN, new Scope(Names.of(List.of(type.name())), Names.ALL, Names.ALL, ""));
    try {
      assertThat(codes(why(id))).contains("JOB_PAUSED", "JOB_HOLDS");
      assertThat(codes(why(id, scoped))).doesNotContain("JOB_PAUSED", "JOB_HOLDS");
    } finally {
      forget(job);
    }
  }

  private long rowsRead() {
    return reads.inTurn(
        () ->
            reads
                .client()
                .sql("SHOW SESSION STATUS LIKE 'Handler_read%'")
                .query((rs, row) -> rs.getString(1).endsWith("rnd_next") ? 0 : rs.getLong(2))
                .list()
                .stream()
                .mapToLong(Number::longValue)
                .sum());
  }

  @Test
  void poisonAndTimeOutsAreVerdicts() {
    TaskType type = given.aType().create();
    TaskId id = due(type);
    given.set(
        id,
        "status = 8, lease_epoch = 1, schedule_log ="
            + " '{\"lastData\":{\"outcome\":\"POISON\",\"errMsg\":\"e\",\"cost\":\"5ms\",\"leaseEpoch\":1,"
            + "\"stage\":\"first\",\"workerId\":\"w\",\"time\":5},\"historyDatas\":[]}'");

    assertThat(reason(why(id), "FAILED_FINAL").data()).containsEntry("verdict", "POISON");
    HistoryEntry failure = reads.inTurn(() -> histories.of(id, TestCallers.ADMIN)).entries().get(0);
    assertThat(failure.kind()).isEqualTo("FAILURE");
    assertThat(failure.verdict()).isEqualTo("POISON");
  }
}
