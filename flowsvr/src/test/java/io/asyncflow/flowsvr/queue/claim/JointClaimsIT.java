package io.asyncflow.flowsvr.queue.claim;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Holds that are served together, and what claims cost; figures are printed, not asserted. */
@UnsweptServer
@Tag("contract")
class JointClaimsIT {

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired DataSource database;
  @Autowired TransactionTemplate transaction;
  @Autowired TaskClaimer claimer;

  @Test
  void oneClaimServesHoldersOfAllKindsEachByItsOwnName() {
    TaskType lark = given.aType().with("lease_seconds", 7).create();
    given.aWaitingTask().ofType(lark).dueSince(5, MINUTES).create(4);
    given.aWaitingTask().ofType(lark).inStage("second").dueSince(1, MINUTES).create(2);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).dueSince(3, MINUTES).create(2);
    List<Hold> line =
        List.of(
            given.aHold(lark).by("w1").limit(2).asRequest(),
            given.aHold(lark).byAnOldClient().limit(10).asRequest(),
            given.aHold(lark).by("w3").withId("h3").limit(10).ofStages("second").asRequest());

    List<List<TaskRow>> shares = claim(lark, line).rows();

    assertThat(shares).extracting(List::size).containsExactly(2, 5, 1);
    for (int i = 0; i < line.size(); i++) {
      String worker = line.get(i).workerId();
      long lease = worker.isEmpty() ? 30_000 : 7_000;
      assertThat(shares.get(i)).extracting(TaskRow::traceId).containsOnly(traceOf(shares.get(i)));
      assertThat(shares.get(i))
          .isSortedAccordingTo((a, b) -> Long.compare(a.orderTime(), b.orderTime()))
          .allSatisfy(
              row -> {
                TaskRow stored = given.row(row.id());
                assertThat(stored.workerId()).isEqualTo(worker);
                assertThat(stored.leaseEnd() - stored.holdTime()).isEqualTo(lease);
                assertThat(row).usingRecursiveComparison().ignoringFields("now").isEqualTo(stored);
              });
    }
    assertThat(shares.get(2)).extracting(TaskRow::stage).containsOnly("second");
    assertThat(given.aHold(lark).by("w3").withId("h3").limit(10).ofStages("second").now())
        .extracting(Task::taskId)
        .containsExactlyElementsOf(shares.get(2).stream().map(row -> row.id().toString()).toList());
  }

  @Test
  void ofHoldsThatAreServedTogetherARepeatIsToldWhatItHolds() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(6);
    Hold repeated = given.aHold(lark).withId("h").limit(2).asRequest();
    List<TaskRow> first = claim(lark, List.of(repeated)).rows().get(0);
    Hold another = given.aHold(lark).by("another").withId("h").limit(2).asRequest();

    TaskClaimer.ClaimResult<TaskRow> claim = claim(lark, List.of(repeated, another));

    assertThat(claim.rows().get(0))
        .extracting(TaskRow::id)
        .containsExactlyElementsOf(first.stream().map(TaskRow::id).toList());
    assertThat(claim.rows().get(1))
        .hasSize(2)
        .extracting(TaskRow::id)
        .doesNotContainAnyElementsOf(first.stream().map(TaskRow::id).toList());
  }

  @Test
  void claimOfWhatSomebodyHasLockedIsNotSureThatThereIsNothing() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    transaction.executeWithoutResult(
        status -> {
          jdbc.sql("SELECT 1 FROM " + id.table().sqlName() + " WHERE id = ? FOR UPDATE")
              .param(id.number())
              .query(Integer.class)
              .single();
          // asked on other connections, while the lock is there
          CompletableFuture.supplyAsync(
                  () -> claim(lark, given.aHold(lark).asRequest()), OtherThread::start)
              .thenAccept(claim -> assertThat(claim.complete()).containsExactly(false))
              .join();
        });
    assertThat(given.aHold(lark).now()).hasSize(1);
  }

  @Test
  void holdOfAQuietStageIsToldTheTruthWhileAnotherStageIsBusy() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).inStage("busy").create(20);
    List<TaskId> behindItsBack = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create(1);
    Hold busy = given.aHold(lark).ofStages("busy").limit(1).asRequest();
    Hold quiet = given.aHold(lark).ofStages("quiet").limit(1).asRequest();
    claim(lark, busy, quiet); // now it is known where something is due, and where not

    TaskClaimer.ClaimResult<TaskRow> nothing = claim(lark, busy, quiet);
    given.set(behindItsBack.get(0), "task_stage = 'quiet', order_time = 1");
    TaskClaimer.ClaimResult<TaskRow> something = claim(lark, busy, quiet);

    assertThat(nothing.rows()).extracting(List::size).containsExactly(1, 0);
    assertThat(nothing.complete().get(1)).isTrue();
    assertThat(something.rows()).extracting(List::size).containsExactly(1, 1);
  }

  @Test
  void oldTableWithAStragglerOrDelayedTasksDoesNotHoldUpTheOthers() {
    double alone = tasksASecond(aTypeWithWorkInTwoTables(0));
    double behindDelayed = tasksASecond(aTypeWithWorkInTwoTables(100_000));
    System.out.printf(
        Locale.ROOT,
        "claims behind 100,000 delayed tasks and a straggler in an older table: %.2f of the speed"
            + " without%n",
        behindDelayed / alone);
  }

  private TaskType aTypeWithWorkInTwoTables(int delayed) {
    TaskType lark = given.aType().create();
    if (delayed > 0) {
      given.aWaitingTask().ofType(lark).dueSince(9, HOURS).create();
      given.aHold(lark).theTask(); // and nobody finishes it
      TaskId model = given.aWaitingTask().ofType(lark).dueIn(5, HOURS).create();
      for (int i = 0; i < delayed; i += 10_000) {
        given.copies(model, 1 + i, 10_000, "order_time = order_time + id");
      }
    }
    given.nextTable(lark);
    for (int i = 0; i < 2; i++) {
      given.aWaitingTask().ofType(lark).dueSince(3 - i, HOURS).create(1_000);
      given.aWaitingTask().ofType(lark).dueSince(2 + i, MINUTES).create(500);
      given.nextTable(lark);
    }
    return lark;
  }

  private double tasksASecond(TaskType type) {
    long begin = System.nanoTime();
    List<Task> all = new ArrayList<>();
    List<Task> held;
    do {
      held = given.aHold(type).ofStages("first").limit(50).now();
      all.addAll(held);
    } while (!held.isEmpty());
    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat(all)
        .hasSize(3_000)
        .isSortedAccordingTo((a, b) -> Long.compare(a.orderTime(), b.orderTime()));
    return all.size() / seconds;
  }

  @Test
  void anOldSnapshotLeftOpenDoesNotSlowClaimsDown() throws SQLException {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(100);
    List<Double> rates = new ArrayList<>();
    try (Connection stranger = database.getConnection()) {
      stranger.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      stranger.setAutoCommit(false);
      stranger.createStatement().execute("SELECT COUNT(*) FROM t_schedule_cfg"); // its snapshot
      for (int round = 0; round < 8; round++) {
        given.aWaitingTask().ofType(lark).create(1_000);
        long begin = System.nanoTime();
        for (int i = 0; i < 20; i++) {
          assertThat(given.aHold(lark).ofStages("first").limit(50).now()).hasSize(50);
        }
        rates.add(1_000 * 1e9 / (System.nanoTime() - begin));
      }
      stranger.rollback();
    }
    System.out.printf(
        Locale.ROOT, "claims beside an open snapshot, tasks a second: %.0f%n", rates.get(0));
    rates.forEach(rate -> System.out.printf(Locale.ROOT, "  %.2f of that", rate / rates.get(0)));
    System.out.println();
  }

  @Test
  void whatCameBySqlIsFoundWhileClaimsGoOn() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(1_000);
    assertThat(given.aHold(lark).ofStages("first").limit(1).now()).hasSize(1);
    TaskId last = ids.get(ids.size() - 1);
    given.set(last, "order_time = 1"); // far below where claims begin
    claimOneByOneUntil(lark, last);
  }

  @Test
  void tableThatAnotherServerMadeIsFoundWhileClaimsGoOn() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(1_000);
    TaskId held = Given.idOf(given.aHold(lark).ofStages("first").limit(1).theTask());
    given.nextTableOfAnotherServer(lark);
    TaskId there = new TaskId(held.number(), new TaskTable(lark, 2));
    given.set(there, "status = 1, order_time = 1");
    claimOneByOneUntil(lark, there);
  }

  private void claimOneByOneUntil(TaskType type, TaskId wanted) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(
            () ->
                given.aHold(type).ofStages("first").limit(1).now().stream()
                    .anyMatch(task -> Given.idOf(task).equals(wanted)));
  }

  private TaskClaimer.ClaimResult<TaskRow> claim(TaskType type, Hold... line) {
    return claim(type, List.of(line));
  }

  private TaskClaimer.ClaimResult<TaskRow> claim(TaskType type, List<Hold> line) {
    return claimer.claim(
        type,
        line.stream().map(hold -> new TaskClaimer.ClaimRequest(hold, true, true)).toList(),
        Paused.NOTHING);
  }

  private static String traceOf(List<TaskRow> share) {
    return share.get(0).traceId();
  }
}
