package io.asyncflow.flowsvr.queue.hold;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Holds that wait. A wake-up is told from a find of the scan by its time: that one comes some
 * seconds after the look that parked the hold.
 */
@UnsweptServer
@Tag("contract")
class ParkedHoldsIT {

  private static final int BEFORE_THE_SCAN_MS = 2_000;

  @Autowired Given given;
  @Autowired TaskHolds holds;
  @Autowired TaskReporter reporter;
  @Autowired JdbcClient jdbc;
  @Autowired HikariDataSource pool;
  @LocalServerPort int port;

  private final List<CompletableFuture<List<Task>>> parked = new ArrayList<>();

  @AfterEach
  void nobodyStaysParked() {
    parked.forEach(answer -> answer.cancel(false));
    assertThat(holds.parked()).isZero();
  }

  @Test
  void createWakesAParkedHold() throws Exception {
    TaskType lark = given.aType().create();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark));
    TaskId id = given.aWaitingTask().ofType(lark).create();
    assertThat(answer.get(BEFORE_THE_SCAN_MS, MILLISECONDS))
        .extracting(Task::taskId)
        .containsExactly(id.toString());
  }

  @Test
  void handBackWakesAParkedHoldOfTheNextStage() throws Exception {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).inStage("split").create();
    Task task = given.aHold(lark).theTask();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark).ofStages("speak"));
    given.reportOn(task).nextStage("speak", null, null);
    assertThat(answer.get(BEFORE_THE_SCAN_MS, MILLISECONDS)).hasSize(1);
  }

  @Test
  void delayedTaskWakesAParkedHoldWhenItIsDue() throws Exception {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).dueIn(300, MILLISECONDS).create();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark));
    Task task = answer.get(BEFORE_THE_SCAN_MS, MILLISECONDS).get(0);
    assertThat(given.row(task).holdTime()).isGreaterThanOrEqualTo(task.orderTime());
  }

  @Test
  void retryWakesAParkedHoldWhenItsDelayIsOver() throws Exception {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).theTask();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark));
    given.reportOn(task).retryAfterMs(200);
    Task again = answer.get(BEFORE_THE_SCAN_MS, MILLISECONDS).get(0);
    assertThat(again.leaseEpoch()).isEqualTo(2);
    assertThat(given.row(again).holdTime()).isGreaterThanOrEqualTo(again.orderTime());
  }

  @Test
  void cancelOfAnExecutingTaskMakesRoomForAParkedHold() throws Exception {
    TaskType lark = given.aType().with("max_executing", 1).create();
    given.aWaitingTask().ofType(lark).create(2);
    Task held = given.aHold(lark).theTask();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark).by("other"));
    new Wire(port).post("/api/task/cancel", "{'taskId':'" + held.taskId() + "'}");
    assertThat(answer.get(BEFORE_THE_SCAN_MS, MILLISECONDS)).hasSize(1);
  }

  @Test
  void scanFindsWhatWasChangedBySql() throws Exception {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).dueIn(5, MINUTES).create();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark));
    given.set(id, "order_time = 1");
    assertThat(answer.get(20, SECONDS)).hasSize(1);
  }

  @Test
  void pausedTypeIsServedSoonAfterItGoesOn() throws Exception {
    TaskType lark = given.aType().with("paused", 1).create();
    given.aWaitingTask().ofType(lark).create();
    CompletableFuture<List<Task>> answer = park(given.aHold(lark));
    given.change(lark, "paused", 0);
    assertThat(answer.get(20, SECONDS)).hasSize(1);
  }

  @Test
  void oneTaskGoesToExactlyOneOfFiftyParkedHolds() throws Exception {
    TaskType lark = given.aType().create();
    for (int i = 0; i < 50; i++) {
      park(given.aHold(lark).by("w" + i));
    }
    given.aWaitingTask().ofType(lark).create();
    await().atMost(30, SECONDS).until(() -> parked.stream().anyMatch(CompletableFuture::isDone));
    await().atMost(30, SECONDS).until(() -> holds.parked() == 49);

    given.aWaitingTask().ofType(lark).create(49);
    List<String> all = new ArrayList<>();
    for (CompletableFuture<List<Task>> answer : parked) {
      // the first one may take up to 100 at once
      if (all.size() < 50) {
        answer.get(30, SECONDS).forEach(task -> all.add(task.taskId()));
      }
    }
    assertThat(all).hasSize(50).doesNotHaveDuplicates();
  }

  @Test
  void parkedHoldsTakeNoConnection() {
    TaskType lark = given.aType().create();
    for (int i = 0; i < 3 * pool.getMaximumPoolSize(); i++) {
      park(given.aHold(lark).by("w" + i));
    }
    await().atMost(30, SECONDS).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    await().atMost(30, SECONDS).until(() -> holds.parked() == 3 * pool.getMaximumPoolSize());
    assertThat(given.aHold(lark).now()).isEmpty(); // there are connections left
  }

  @Test
  void repeatTakesThePlaceOfAParkedHold() throws Exception {
    TaskType lark = given.aType().create();
    CompletableFuture<List<Task>> first = park(given.aHold(lark).withId("h"));
    CompletableFuture<List<Task>> repeat = park(given.aHold(lark).withId("h"));
    assertThat(first.get(1, SECONDS)).isEmpty();
    given.aWaitingTask().ofType(lark).create();
    List<Task> told = repeat.get(BEFORE_THE_SCAN_MS, MILLISECONDS);
    assertThat(told).hasSize(1);
    // and once it was told something, a repeat is told the same at once
    assertThat(given.aHold(lark).withId("h").waiting(10, SECONDS).get(1, SECONDS))
        .extracting(Task::taskId, Task::leaseEpoch)
        .containsExactly(tuple(told.get(0).taskId(), 1));
  }

  @Test
  void callerThatIsGoneIsGivenNothing() throws Exception {
    TaskType lark = given.aType().create();
    park(given.aHold(lark)).cancel(false);
    assertThat(holds.parked()).isZero();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    CompletableFuture<List<Task>> other = park(given.aHold(lark).by("other"));
    assertThat(other.get(BEFORE_THE_SCAN_MS, MILLISECONDS)).hasSize(1);
    assertThat(given.row(id).leaseEpoch()).isEqualTo(1);
  }

  /** Also one that could repeat its hold, as every worker of the SDK could. */
  @Test
  void workerThatWasKilledIsGivenNothing() throws Exception {
    TaskType lark = given.aType().create();
    try (Socket worker = new Socket("127.0.0.1", port)) {
      String hold =
          "GET /api/task/hold_task?taskType=%s&workerId=killed&holdId=h1&waitMs=30000 HTTP/1.1\r\n"
                  .formatted(lark)
              + "Host: localhost\r\n\r\n";
      worker.getOutputStream().write(hold.getBytes(StandardCharsets.US_ASCII));
      await().atMost(20, SECONDS).until(() -> holds.parked() == 1);
    } // as the kernel does it for a process that was killed
    await().atMost(20, SECONDS).until(() -> holds.parked() == 0);
    TaskId id = given.aWaitingTask().ofType(lark).create();
    assertThat(given.aHold(lark).by("alive").theTask().taskId()).isEqualTo(id.toString());
    assertThat(given.row(id).leaseEpoch()).isEqualTo(1);
  }

  @Test
  void tasksTakenForACallerThatIsGoneAreDueAgainAndBurnNothing() {
    TaskType lark = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(lark).create();
    given.set(id, "crt_retry_num = 2, delivery_count = 3");
    long orderTime = given.row(id).orderTime();
    reporter.release(given.aHold(lark).now());
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.crtRetryNum()).isEqualTo(2);
    assertThat(row.orderTime()).isEqualTo(orderTime);
    assertThat(row.deliveryCount()).as("earlier losses count on").isEqualTo(3);

    reporter.release(given.aHold(lark).byAnOldClient().now());
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.WAITING);
    assertThat(given.aHold(lark).theTask().leaseEpoch()).isEqualTo(3);
  }

  @Test
  void everyTaskWaitsOrIsHeldBySomebodyWhoWasToldSo() throws Exception {
    TaskType lark = given.aType().create();
    for (int i = 0; i < 60; i++) {
      CompletableFuture<List<Task>> answer = park(given.aHold(lark).withId("h" + i));
      if (i % 3 == 0) {
        park(given.aHold(lark).withId("h" + i));
      }
      given.aWaitingTask().ofType(lark).create();
      if (i % 2 == 0) {
        answer.cancel(false); // at about the time when it is served
      }
    }
    // whoever is still in the line takes what was released
    await()
        .atMost(10, SECONDS)
        .untilAsserted(
            () -> assertThat(tasksHeldByRow(lark)).isEqualTo(tasksThatCallersWereTold()));
  }

  private Set<String> tasksHeldByRow(TaskType type) {
    return Set.copyOf(
        jdbc.sql(
                "SELECT CONCAT(id, '_%1$s_task_1') FROM t_%1$s_task_1 WHERE status = 2"
                    .formatted(type.name()))
            .query(String.class)
            .list());
  }

  private Set<String> tasksThatCallersWereTold() {
    return parked.stream()
        .filter(answer -> answer.isDone() && !answer.isCancelled())
        .flatMap(answer -> answer.join().stream())
        .map(Task::taskId)
        .collect(Collectors.toSet());
  }

  private CompletableFuture<List<Task>> park(Given.AHold hold) {
    CompletableFuture<List<Task>> answer = hold.waiting(20, SECONDS);
    parked.add(answer);
    return answer;
  }
}
