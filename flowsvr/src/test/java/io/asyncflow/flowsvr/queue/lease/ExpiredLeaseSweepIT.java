package io.asyncflow.flowsvr.queue.lease;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.queue.lease.LeaseStore.Ending;
import io.asyncflow.flowsvr.task.number.WriteOutageStore;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.event.ApplicationEvents;
import org.springframework.test.context.event.RecordApplicationEvents;

@UnsweptServer
@RecordApplicationEvents
@Tag("contract")
class ExpiredLeaseSweepIT {

  @Autowired Given given;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired LeaseRenewer renewer;
  @Autowired LeaseStore leases;
  @Autowired WriteOutageStore outages;
  @Autowired TaskStore tasks;
  @Autowired TaskFamilies families;
  @Autowired RetryingTransactions transactions;
  @Autowired JdbcClient jdbc;
  @Autowired ApplicationEvents events;

  @AfterEach
  void noOutage() {
    jdbc.sql("DELETE FROM t_write_outage").update();
  }

  /** What tests before this one left behind would be swept with it, now or when it runs out. */
  @BeforeEach
  void nobodyElseHoldsAnything() {
    for (TaskFamily family : families.all(RECENT)) {
      for (TaskTable table : family.live()) {
        jdbc.sql("UPDATE %s SET status = 16 WHERE status = 2".formatted(table.sqlName())).update();
      }
    }
  }

  @Test
  void taskOfALostWorkerIsDueAtOnceAndBurnsNoRetry() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).dueSince(1, MINUTES).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(31, SECONDS, id);
    long orderTime = given.row(id).orderTime();

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));

    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.deliveryCount()).isEqualTo(1);
    assertThat(row.orderTime()).isEqualTo(orderTime);
    assertThat(row.leaseEpoch()).isEqualTo(1);
    assertThat(row.reportedEpoch()).isZero();
    assertThat(row.scheduleLog())
        .contains("WORKER_LOST", "worker lost: no heartbeat within the lease of 30 s")
        .contains("\"workerId\":\"worker\"", "\"traceId\":\"" + task.traceId() + "\"");
    Task again = given.aHold(lark).by("another").theTask();
    assertThat(again.leaseEpoch()).isEqualTo(2);
    assertThat(again.deliveryCount()).isEqualTo(1);
    assertThat(given.reportOn(task).success("late").code()).isEqualTo(8050);
    given.reportOn(again).success(null);
    assertThat(given.row(id).deliveryCount()).isZero();
  }

  @Test
  void attemptThatBeatUntilItsHardEndTimedOutLikeAnyFailure() {
    TaskType lark = given.aType().with("retry_interval", 5).with("max_retry_interval", 30).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(25, SECONDS, id);
    beat(task);
    given.letPass(6, SECONDS, id);

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));

    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.crtRetryNum()).isEqualTo(1);
    assertThat(row.deliveryCount()).isEqualTo(1);
    assertThat(row.orderTime() - row.modifyTime()).isBetween(4_500L, 5_000L);
    assertThat(row.scheduleLog())
        .contains("TIMED_OUT", "ran longer than max_processing_time (30 s)")
        .doesNotContain("lost");
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void leasesThatRanOutInAnOutageAreSweptWhenTheLivingHadTheTimeToBeHeard() {
    TaskType lark = given.aType().with("max_processing_time", 600).create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(2);
    List<Task> held = given.aHold(lark).now();
    ids.forEach(id -> given.letPass(31, SECONDS, id));
    anOutage(15, 2);

    assertThat(sweep.runOnce().hadEffect()).isFalse();

    beat(held.get(0));
    given.reportOn(held.get(0)).success(null);
    given.letPass(10, SECONDS, held.get(1));
    assertThat(sweep.runOnce().hadEffect()).as("12 s after the outage").isFalse();
    given.letPass(9, SECONDS, held.get(1));
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
    assertThat(given.row(Given.idOf(held.get(0))).status()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(given.row(Given.idOf(held.get(1))).scheduleLog()).contains("WORKER_LOST");
  }

  @Test
  void leaseThatRanOutBeforeAnOutageIsSweptAfterIt() {
    TaskType lark = given.aType().with("max_processing_time", 600).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).theTask();
    given.letPass(50, SECONDS, id);
    anOutage(15, 2);

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
  }

  @Test
  void attemptWhoseHardEndCameInAnOutageIsOver() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).theTask();
    given.letPass(31, SECONDS, id);
    anOutage(15, 2);

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
  }

  private void anOutage(int startedBefore, int endedBefore) {
    long now = outages.known().now();
    jdbc.sql("INSERT INTO t_write_outage (start_time, end_time) VALUES (?, ?)")
        .params(now - SECONDS.toMillis(startedBefore), now - SECONDS.toMillis(endedBefore))
        .update();
  }

  @Test
  void timeOutIsAnUnexpectedFailure() {
    TaskType lark = given.aType().with("max_unexpected_retries", 0).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(25, SECONDS, id);
    beat(task);
    given.letPass(6, SECONDS, id);

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(0, 1, 0));

    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.FAILED);
    assertThat(row.unexpectedNum()).isEqualTo(1);
    assertThat(row.crtRetryNum()).isZero();
  }

  @Test
  void attemptOfAnOldClientTimedOut() {
    TaskType lark = given.aType().with("retry_interval", 0).with("max_retry_num", 1).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(31, SECONDS, id);
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
    assertThat(given.row(id).crtRetryNum()).isEqualTo(1);
    assertThat(given.row(id).scheduleLog()).contains("TIMED_OUT");

    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(31, SECONDS, id);
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(0, 1, 0));
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.FAILED);
    assertThat(given.row(id).crtRetryNum()).isEqualTo(2);
  }

  @Test
  void taskInTheQueueOfAnOldWorkerIsNotTimedOutBeforeItBegan() {
    TaskType lark = given.aType().with("max_retry_num", 0).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).byAWorkerWithAQueue(Duration.ofMinutes(10)).theTask();
    given.letPass(620, SECONDS, id);
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(0, 0, 0));

    given.letPass(11, SECONDS, id);
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
    assertThat(given.row(id).crtRetryNum()).isZero();
    assertThat(given.row(id).deliveryCount()).isEqualTo(1);
    assertThat(given.row(id).scheduleLog()).contains("WORKER_LOST");
  }

  @Test
  void taskThatTheSweepFailsMakesRoomForOthersOfItsType() {
    TaskType lark = given.aType().with("max_executing", 1).with("max_retry_num", 0).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(31, SECONDS, id);
    events.clear();

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(0, 1, 0));

    assertThat(events.stream(TasksWaiting.class))
        .as("the holds of the type look again")
        .containsExactly(new TasksWaiting(lark));
  }

  @Test
  void poisonIsQuarantinedAfterMaxDelivery() {
    TaskType lark = given.aType().with("max_delivery", 3).create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    for (int delivery = 1; delivery <= 3; delivery++) {
      given.aHold(lark).theTask();
      given.letPass(31, SECONDS, id);
      assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
      assertThat(given.row(id).deliveryCount()).isEqualTo(delivery);
    }
    given.aHold(lark).theTask();
    given.letPass(31, SECONDS, id);
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(0, 1, 1));
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.FAILED);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.scheduleLog()).contains("POISON", "4 holds in a row", "max_delivery 3");
  }

  @Test
  void leaseThatLivesIsLeftAlone() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(15, SECONDS, id);
    TaskRow before = given.row(id);
    assertThat(sweep.runOnce().hadEffect()).isFalse();
    assertThat(given.row(id)).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);
    assertThat(given.reportOn(task).success(null).code()).isZero();
  }

  @Test
  void reportAfterTheSweepCountsUntilSomebodyHoldsTheTask() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(31, SECONDS, id);
    sweep.runOnce();
    assertThat(given.reportOn(task).withId("r").success("late but dear").outcome())
        .isEqualTo(ReportResult.Verdict.ACCEPTED);
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(row.result()).isEqualTo("late but dear");
    assertThat(row.deliveryCount()).isZero();
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void oneAttemptIsOneFailureAlthoughItsReportComesAfterTheSweep() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(25, SECONDS, id);
    beat(task);
    given.letPass(6, SECONDS, id);
    sweep.runOnce();
    assertThat(given.reportOn(task).retry("timed out, says the worker").outcome())
        .isEqualTo(ReportResult.Verdict.ACCEPTED);
    assertThat(given.row(id).crtRetryNum()).isEqualTo(1);
  }

  @Test
  void reportBetweenTheLookAndTheLockWins() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(31, SECONDS, id);
    List<TaskId> seen = leases.expired(id.table(), allEnded(), 0, 10);
    assertThat(seen).containsExactly(id);
    given.reportOn(task).retry("just in time");
    assertThat(locked(id)).isEmpty();

    // nor does a hold since, or a beat
    given.set(id, "order_time = 1");
    Task again = given.aHold(lark).theTask();
    assertThat(locked(id)).isEmpty();
    given.letPass(20, SECONDS, id);
    beat(again);
    assertThat(locked(id)).isEmpty();
    given.letPass(31, SECONDS, id);
    assertThat(locked(id)).hasSize(1);
  }

  @Test
  void taskThatSomebodyElseHasLockedIsLeftForTheNextRound() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(3);
    given.aHold(lark).now();
    ids.forEach(id -> given.letPass(31, SECONDS, id));
    transactions.execute(
        () -> {
          tasks.lock(ids.get(0).table(), List.of(ids.get(1).number()));
          assertThat(CompletableFuture.supplyAsync(sweep::runOnce, OtherThread::start).join())
              .isEqualTo(new ExpiredLeaseSweep.Result(2, 0, 0));
          return null;
        });
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
  }

  @Test
  void tasksThatSomebodyElseHasLockedKeepNoOthersFromTheSweep() {
    TaskType lark = given.aType().create();
    List<TaskId> ids =
        given.aWaitingTask().ofType(lark).create(401); // two full pages, and one more
    assertThat(given.aHold(lark).limit(1_000).now()).hasSize(401);
    TaskTable table = ids.get(0).table();
    jdbc.sql("UPDATE %s SET lease_end = 1".formatted(table.sqlName())).update();
    List<TaskId> seenFirst = leases.expired(table, allEnded(), 0, 400);
    transactions.execute(
        () -> {
          tasks.lock(table, seenFirst.stream().map(TaskId::number).toList());
          assertThat(CompletableFuture.supplyAsync(sweep::runOnce, OtherThread::start).join())
              .isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
          return null;
        });
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(400, 0, 0));
  }

  @Test
  void sweepWakesParkedHolds() throws Exception {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).theTask();
    CompletableFuture<List<Task>> answer = given.aHold(lark).by("other").waiting(10, SECONDS);
    given.letPass(31, SECONDS, id);
    try {
      sweep.runOnce();
      assertThat(answer.get(2, SECONDS)).hasSize(1);
    } finally {
      answer.cancel(false);
    }
  }

  @Test
  void thousandsThatRanOutWaitAgainPageByPageByEverySweepTogether() throws Exception {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(1_500);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create(1_000);
    while (!given.aHold(lark).limit(1_000).now().isEmpty()) {
      // until all are held
    }
    for (int table = 1; table <= 2; table++) {
      jdbc.sql("UPDATE t_%s_task_%s SET lease_end = 1".formatted(lark.name(), table)).update();
    }
    List<CompletableFuture<ExpiredLeaseSweep.Result>> sweeps = new ArrayList<>();
    CyclicBarrier start = new CyclicBarrier(3);
    for (int i = 0; i < 3; i++) {
      sweeps.add(
          CompletableFuture.supplyAsync(
              () -> {
                await(start);
                return sweep.runOnce();
              },
              work -> new Thread(work).start()));
    }
    int changed = sweep.runOnce().waitingAgain();
    for (CompletableFuture<ExpiredLeaseSweep.Result> each : sweeps) {
      changed += each.get(30, SECONDS).waitingAgain();
    }
    changed += sweep.runOnce().waitingAgain();
    assertThat(changed).isEqualTo(2_500);
    for (int table = 1; table <= 2; table++) {
      assertThat(
              jdbc.sql(
                      "SELECT COUNT(*) FROM t_%s_task_%s WHERE status <> 1 OR delivery_count <> 1"
                          .formatted(lark.name(), table))
                  .query(Integer.class)
                  .single())
          .isZero();
    }
  }

  @Test
  void middleTablesAreSweptToo() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = new ArrayList<>();
    for (int table = 1; table <= 3; table++) {
      ids.add(given.aWaitingTask().ofType(lark).create());
      given.nextTable(lark);
    }
    given.aHold(lark).now();
    ids.forEach(id -> given.letPass(1, HOURS, id));
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(3, 0, 0));
  }

  @Test
  void finalTasksAreNeverBroughtBackToLife() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(3);
    List<Task> held = given.aHold(lark).now();
    given.reportOn(held.get(0)).success(null);
    given.reportOn(held.get(1)).fail("no");
    given.set(ids.get(2), "status = 16");
    ids.forEach(id -> given.letPass(1, HOURS, id));
    assertThat(sweep.runOnce().hadEffect()).isFalse();
    assertThat(ids.stream().map(id -> given.row(id).status()))
        .containsExactly(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED);
  }

  @Test
  void brokenTableDoesNotStopTheOthers() {
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) { // the order of the families is anybody's guess
      TaskType lark = given.aType().create();
      ids.add(given.aWaitingTask().ofType(lark).create());
      given.aHold(lark).theTask();
      given.letPass(1, HOURS, ids.get(i));
    }
    String broken = ids.get(1).table().sqlName();
    jdbc.sql("RENAME TABLE %1$s TO away_%1$s".formatted(broken)).update();
    try {
      assertThatThrownBy(sweep::runOnce).hasMessageContaining(broken);
      assertThat(given.row(ids.get(0)).status()).isEqualTo(TaskStatus.WAITING);
      assertThat(given.row(ids.get(2)).status()).isEqualTo(TaskStatus.WAITING);
    } finally {
      jdbc.sql("RENAME TABLE away_%1$s TO %1$s".formatted(broken)).update();
    }
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
  }

  /** As by a change of it that waits for a long transaction. */
  @Test
  void lockedTableDoesNotStopTheOthers() {
    List<TaskId> ids = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      TaskType lark = given.aType().create();
      ids.add(given.aWaitingTask().ofType(lark).create());
      given.aHold(lark).theTask();
      given.letPass(1, HOURS, ids.get(i));
    }
    transactions.execute(
        () -> {
          jdbc.sql("LOCK TABLES %s WRITE".formatted(ids.get(0).table().sqlName())).update();
          try {
            assertThatThrownBy(
                    () -> CompletableFuture.supplyAsync(sweep::runOnce, OtherThread::start).join())
                .hasCauseInstanceOf(PessimisticLockingFailureException.class);
          } finally {
            jdbc.sql("UNLOCK TABLES").update();
          }
          return null;
        });
    assertThat(given.row(ids.get(1)).status()).isEqualTo(TaskStatus.WAITING);
    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
  }

  @Test
  void typeWithoutAConfigurationDoesNotStopTheOthers() {
    TaskType deleted = given.aType().create();
    TaskId orphan = given.aWaitingTask().ofType(deleted).create();
    given.aHold(deleted).theTask();
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).theTask();
    given.letPass(1, HOURS, orphan);
    given.letPass(1, HOURS, id);
    jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = ?").param(deleted.name()).update();
    given.change(lark, "paused", 0); // makes the server see it

    assertThat(sweep.runOnce()).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
    assertThat(given.row(orphan).status()).isEqualTo(TaskStatus.EXECUTING);
  }

  private Ending allEnded() {
    return new Ending(outages.known().now(), Duration.ofSeconds(30));
  }

  private List<TaskRow> locked(TaskId id) {
    return transactions.execute(
        () -> leases.lockExpired(id.table(), allEnded(), List.of(id.number())));
  }

  private void beat(Task task) {
    renewer.renew(
        task.workerId(),
        List.of(ParsedBeat.of(new HeldTask(task.taskId(), task.leaseEpoch(), null))),
        TestCallers.ADMIN);
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
