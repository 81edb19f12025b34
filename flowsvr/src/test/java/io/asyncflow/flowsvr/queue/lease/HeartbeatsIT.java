package io.asyncflow.flowsvr.queue.lease;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@UnsweptServer
@Tag("contract")
class HeartbeatsIT {

  @Autowired Given given;
  @Autowired LeaseRenewer renewer;
  @Autowired DataSource database;
  @Autowired JdbcClient jdbc;

  @Test
  void beatMovesTheLeaseOn() {
    TaskType lark =
        given.aType().with("lease_seconds", 20).with("max_processing_time", 600).create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(15, SECONDS, task);

    LeaseState state = beat(task);

    assertThat(state.state()).isEqualTo(State.EXTENDED);
    assertThat(state.taskId()).isEqualTo(task.taskId());
    assertThat(state.leaseEpoch()).isEqualTo(1);
    assertThat(state.leaseMs()).isBetween(18_000L, 20_000L);
    TaskRow row = given.row(task);
    assertThat(row.leaseEnd()).isEqualTo(row.beatTime() + 20_000);
    assertThat(row.status()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(row.leaseEpoch()).isEqualTo(1);
  }

  @Test
  void leaseNeverGoesBeyondTheHardEnd() {
    TaskType lark =
        given.aType().with("lease_seconds", 200).with("max_processing_time", 300).create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(180, SECONDS, task);
    assertThat(beat(task).leaseMs()).isBetween(100_000L, 120_000L);
    TaskRow row = given.row(task);
    assertThat(row.leaseEnd()).isEqualTo(row.holdTime() + 300_000);

    given.letPass(100, SECONDS, task);
    assertThat(beat(task).leaseMs()).isBetween(1L, 20_000L);
    given.letPass(21, SECONDS, task);
    long lastBeat = given.row(task).beatTime();
    assertThat(beat(task)).isEqualTo(new LeaseState(task.taskId(), 1, State.LOST, 0));
    assertThat(given.row(task).beatTime()).isEqualTo(lastBeat);
  }

  @Test
  void leaseOfAResidentTypeIsRenewedAfterYears() {
    TaskType lark =
        given.aType().with("lease_seconds", 20).with("max_processing_time", 946_080_000).create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    assertThat(task.leaseMs()).isBetween(18_000L, 20_000L);
    given.letPass(29 * 365, DAYS, task);
    assertThat(beat(task).leaseMs()).isBetween(18_000L, 20_000L);
    given.letPass(365, DAYS, task);
    assertThat(beat(task).state()).isEqualTo(State.LOST);
  }

  @Test
  void leaseThatRanOutIsRenewedAsLongAsTheTaskWasNotGivenAway() {
    TaskType lark =
        given.aType().with("lease_seconds", 5).with("max_processing_time", 600).create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.letPass(60, SECONDS, task);
    assertThat(beat(task).state()).isEqualTo(State.EXTENDED);
    assertThat(given.row(task).isUnderLiveLease()).isTrue();
  }

  @Test
  void whoeverDoesNotHoldTheTaskIsToldThatItIsLost() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).by("w1").theTask();
    TaskRow before = given.row(task);
    assertThat(beat("w2", task.taskId(), 1, 50).state()).isEqualTo(State.LOST);
    assertThat(beat("w1", task.taskId(), 2, 50).state()).isEqualTo(State.LOST);
    assertThat(beat("w1", task.taskId(), 0, 50).state()).isEqualTo(State.LOST);
    assertThat(given.row(task)).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);

    given.reportOn(task).release();
    Task again = given.aHold(lark).by("w1").theTask();
    assertThat(beat(task).state()).isEqualTo(State.LOST);
    assertThat(beat(again).state()).isEqualTo(State.EXTENDED);
    given.reportOn(again).success(null);
    assertThat(beat(again).state()).isEqualTo(State.LOST);
  }

  @Test
  void holderOfACancelledTaskIsToldToStop() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    given.set(Given.idOf(task), "status = 16");
    assertThat(beat(task)).isEqualTo(new LeaseState(task.taskId(), 1, State.CANCEL, 0));
    given.letPass(1, HOURS, task);
    assertThat(beat(task).state()).isEqualTo(State.CANCEL);
    assertThat(beat("other", task.taskId(), 1, null).state()).isEqualTo(State.LOST);
    assertThat(given.row(task).status()).isEqualTo(TaskStatus.CANCELLED);
  }

  @Test
  void progressIsKeptUntilTheNextHold() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    assertThat(given.row(task).progress()).isNull();
    beat("worker", task.taskId(), 1, 30);
    assertThat(given.row(task).progress()).isEqualTo(30);
    beat("worker", task.taskId(), 1, null);
    assertThat(given.row(task).progress()).isEqualTo(30);
    beat("worker", task.taskId(), 1, 0);
    assertThat(given.row(task).progress()).isZero();
    given.reportOn(task).release();
    assertThat(given.row(given.aHold(lark).theTask()).progress()).isNull();
  }

  @Test
  void thousandTasksOfTypesAndTablesAreRenewedInOneBeatInTheOrderGiven() {
    TaskType lark = given.aType().create();
    TaskType tts = given.aType().create();
    given.aWaitingTask().ofType(lark).create(500);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create(200);
    given.aWaitingTask().ofType(tts).create(290);
    List<Task> held = new ArrayList<>();
    for (TaskType type : List.of(lark, tts)) {
      int all = held.size() + (type == lark ? 700 : 290);
      // A hold takes what it finds at once, and not always of all tables.
      await().until(() -> held.addAll(given.aHold(type).limit(1_000).now()) && held.size() == all);
    }
    List<HeldTask> named = new ArrayList<>();
    held.forEach(task -> named.add(new HeldTask(task.taskId(), 1, 7)));
    for (int i = 0; i < 5; i++) {
      named.add(i * 100, new HeldTask("1_" + lark.name() + "_task_1", 1, null));
      named.add(i * 100, new HeldTask("1_nosuchtype_task_" + (i + 1), 1, null));
    }

    List<LeaseState> states = renew("worker", named);

    assertThat(states).extracting(LeaseState::taskId).isEqualTo(ids(named));
    assertThat(states.stream().filter(state -> state.state() == State.EXTENDED)).hasSize(990);
    assertThat(states.stream().filter(state -> state.state() == State.LOST)).hasSize(10);
    assertThat(held).allMatch(task -> given.row(task).progress() == 7);
  }

  /** As by a server that vanished while it wrote a report. */
  @Test
  void taskThatAnotherTransactionHasLockedCostsNoOtherLease() throws SQLException {
    TaskType lark =
        given.aType().with("lease_seconds", 20).with("max_processing_time", 600).create();
    given.aWaitingTask().ofType(lark).create(3);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create(2);
    List<Task> held = new ArrayList<>();
    await().until(() -> held.addAll(given.aHold(lark).now()) && held.size() == 5);
    List<Task> first =
        held.stream().filter(task -> Given.idOf(task).table().number() == 1).toList();
    List<Task> second = held.stream().filter(task -> !first.contains(task)).toList();
    Task locked = first.get(0);
    Task lockedAndOver = first.get(1);
    Task lockedInTheSecond = second.get(0);
    List<Task> free = List.of(first.get(2), second.get(1));
    held.forEach(task -> given.letPass(10, SECONDS, task));
    given.letPass(60, SECONDS, lockedAndOver);
    long end = given.row(locked).leaseEnd();
    List<HeldTask> named = held.stream().map(task -> new HeldTask(task.taskId(), 1, 50)).toList();

    try (Connection stranger = database.getConnection();
        Statement statement = stranger.createStatement()) {
      stranger.setAutoCommit(false);
      for (Task task : List.of(locked, lockedAndOver, lockedInTheSecond)) {
        statement.executeQuery(
            "SELECT id FROM %s WHERE id = %s FOR UPDATE"
                .formatted(Given.idOf(task).table().sqlName(), Given.idOf(task).number()));
      }
      long begin = System.nanoTime();
      List<LeaseState> states = renew("worker", named);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("one wait for a lock, in whichever table")
          .isLessThan(Duration.ofSeconds(3));
      assertThat(states).extracting(LeaseState::taskId).isEqualTo(ids(named));
      for (LeaseState state : states) {
        if (state.taskId().equals(lockedAndOver.taskId())) {
          assertThat(state.state()).isEqualTo(State.LOST);
          continue;
        }
        boolean isFree = free.stream().anyMatch(task -> task.taskId().equals(state.taskId()));
        assertThat(state.state()).isEqualTo(State.EXTENDED);
        assertThat(state.leaseMs())
            .as("what is left of it")
            .isBetween(isFree ? 15_000L : 1L, isFree ? 20_000L : 10_000L);
      }
      assertThat(free).allSatisfy(task -> assertThat(given.row(task).progress()).isEqualTo(50));
      assertThat(given.row(locked).leaseEnd()).isEqualTo(end);

      begin = System.nanoTime();
      assertThat(renew("worker", named)).hasSize(5);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("the next beats wait for no lock, which takes a second at least")
          .isLessThan(Duration.ofSeconds(1));
      stranger.rollback();
    }

    assertThat(renew("worker", named))
        .allSatisfy(state -> assertThat(state.state()).isEqualTo(State.EXTENDED))
        .allSatisfy(state -> assertThat(state.leaseMs()).isBetween(15_000L, 20_000L));
  }

  @Test
  void brokenTableCostsNoLeaseInAnother() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create();
    List<Task> held = new ArrayList<>();
    await().until(() -> held.addAll(given.aHold(lark).now()) && held.size() == 2);
    List<HeldTask> named = held.stream().map(task -> new HeldTask(task.taskId(), 1, 50)).toList();
    String broken = "t_%s_task_1".formatted(lark.name());
    List<HeldTask> ofBroken =
        named.stream().filter(task -> task.taskId().endsWith(broken.substring(1))).toList();
    jdbc.sql("RENAME TABLE %1$s TO away_%1$s".formatted(broken)).update();
    try {
      assertThat(renew("worker", named))
          .as("without what could not be looked at")
          .extracting(LeaseState::state)
          .containsExactly(State.EXTENDED);
      assertThatThrownBy(() -> renew("worker", ofBroken)).hasMessageContaining(broken);
    } finally {
      jdbc.sql("RENAME TABLE away_%1$s TO %1$s".formatted(broken)).update();
    }
    assertThat(held).extracting(task -> given.row(task).progress()).containsOnlyOnce(50, null);
  }

  @Test
  void beatWithoutTasksIsABeat() {
    assertThat(renew("worker", List.of())).isEmpty();
  }

  @Test
  void taskNamedTwiceIsAnsweredTwice() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    HeldTask held = new HeldTask(task.taskId(), 1, 1);
    HeldTask stale = new HeldTask(task.taskId(), 0, 2);
    assertThat(renew("worker", List.of(held, stale, held)))
        .extracting(LeaseState::state)
        .containsExactly(State.EXTENDED, State.LOST, State.EXTENDED);
    assertThat(given.row(task).progress()).isEqualTo(1);
  }

  private static List<String> ids(List<HeldTask> tasks) {
    return tasks.stream().map(HeldTask::taskId).toList();
  }

  private LeaseState beat(Task task) {
    return beat(task.workerId(), task.taskId(), task.leaseEpoch(), null);
  }

  private LeaseState beat(String worker, String taskId, int epoch, Integer progress) {
    return renew(worker, List.of(new HeldTask(taskId, epoch, progress))).get(0);
  }

  private List<LeaseState> renew(String worker, List<HeldTask> tasks) {
    return renewer.renew(worker, tasks.stream().map(ParsedBeat::of).toList(), TestCallers.ADMIN);
  }
}
