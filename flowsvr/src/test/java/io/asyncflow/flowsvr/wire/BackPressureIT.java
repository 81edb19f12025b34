package io.asyncflow.flowsvr.wire;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.TaskType;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** A database that does not get on must not take all threads of a server. */
@UnsweptServer
@TestPropertySource(
    properties = {
      "flow.single-creates-at-once=1",
      "flow.small-reports-at-once=1",
      "flow.lists-at-once=1",
      "server.tomcat.threads.max=8",
      "server.tomcat.threads.min-spare=2"
    })
class BackPressureIT {

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired DataSource database;
  @Autowired JdbcClient jdbc;
  @Autowired TaskHolds holds;

  private final ExecutorService clients = Executors.newCachedThreadPool();

  private Wire wire;
  private TaskType lark;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
    lark = given.aType().create();
  }

  @AfterEach
  void disconnect() {
    clients.shutdownNow();
  }

  @Test
  void createsPastTheBoundAreRefused() throws Exception {
    create(",'idempotencyKey':'known'");
    try (Connection other = database.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE t_task_key SET expire_time = expire_time + 1");

      CompletableFuture<Answer> stuck =
          CompletableFuture.supplyAsync(
              () -> create(",'idempotencyKey':'known'"), OtherThread::start);
      awaitLockWait();

      assertRefused(create(""));
      other.rollback();
      assertThat(stuck.get(30, SECONDS).code()).isZero();
    }
    assertThat(create("").code()).isZero();
  }

  @Test
  void reportsPastTheBoundAreRefused() throws Exception {
    given.aWaitingTask().ofType(lark).create(2);
    Task one = given.aHold(lark).limit(1).theTask();
    Task two = given.aHold(lark).limit(1).theTask();
    try (Connection other = database.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE t_%s_task_1 SET priority = 1".formatted(lark.name()));

      CompletableFuture<Answer> stuck =
          CompletableFuture.supplyAsync(() -> report(one), OtherThread::start);
      awaitLockWait();

      assertRefused(report(two));
      other.rollback();
      assertThat(stuck.get(30, SECONDS).code()).isZero();
    }
    assertThat(report(two).code()).isZero();
  }

  @Test
  void listsPastTheBoundAreRefused() throws Exception {
    String lists = "/api/task/getTaskList?taskType=" + lark.name();
    create("");
    assertThat(wire.get(lists + "&limit=0").code()).as("gives its share back").isEqualTo(8020);
    try (Connection other = database.getConnection();
        Statement statement = other.createStatement()) {
      statement.execute("LOCK TABLES t_%s_task_1 WRITE".formatted(lark.name()));
      CompletableFuture<Answer> stuck =
          CompletableFuture.supplyAsync(() -> wire.get(lists), OtherThread::start);
      await()
          .until(
              () ->
                  jdbc.sql(
                              """
                          SELECT COUNT(*)
                          FROM information_schema.processlist
                          WHERE db = DATABASE()
                            AND state LIKE 'Waiting for table metadata lock%'
                          """)
                          .query(Integer.class)
                          .single()
                      > 0);

      assertRefused(wire.get("/api/task/get_user_task_list?userId=u"));
      assertRefused(wire.get("/api/job/getJobList"));
      assertThat(wire.get("/api/task_schedule_cfg/list").code()).isZero();
      statement.execute("UNLOCK TABLES");
      assertThat(stuck.get(30, SECONDS).code()).isIn(0, 8090); // a lock is waited for so long
    }
    assertThat(wire.get(lists).code()).isZero();
  }

  @Test
  void requestsThatTakeTheirShareOfThreadsLeaveSomeForHeartbeats() throws Exception {
    int share = 4;
    create(",'idempotencyKey':'known'");
    try (Connection other = database.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE t_task_key SET expire_time = expire_time + 1");
      List<CompletableFuture<Answer>> stuck =
          Stream.generate(() -> CompletableFuture.supplyAsync(this::createKnown, clients))
              .limit(share)
              .toList();
      awaitLockWaits(share);

      assertRefused(wire.get("/api/task_schedule_cfg/list"));
      Answer beat = wire.post("/api/worker/heartbeat", "{'workerId':'w','tasks':[]}");
      assertThat(beat.code()).isZero();
      assertThat(wire.get("/actuator/health/liveness").status()).isEqualTo(200);
      other.rollback();
      for (CompletableFuture<Answer> one : stuck) {
        assertThat(one.get(30, SECONDS).code()).isZero();
      }
    }
    assertThat(wire.get("/api/task_schedule_cfg/list").code()).isZero();
  }

  @Test
  void parkedHoldsTakeNoShareOfThreads() throws Exception {
    int moreThanShare = 6;
    List<Future<Answer>> parked = new ArrayList<>();
    for (int i = 1; i <= moreThanShare; i++) {
      int soMany = i;
      parked.add(clients.submit(this::holdThatWaits));
      await().until(() -> holds.parked() == soMany);
    }
    assertThat(wire.get("/api/task_schedule_cfg/list").code()).isZero();
    given.aWaitingTask().ofType(lark).create(moreThanShare);
    for (Future<Answer> one : parked) {
      assertThat(one.get(30, SECONDS).result().path("taskList").size()).isEqualTo(1);
    }
  }

  private Answer holdThatWaits() {
    return wire.get(
        "/api/task/hold_task?taskType=%s&limit=1&waitMs=30000&workerId=w".formatted(lark.name()));
  }

  private Answer createKnown() {
    return wire.post(
        "/api/task/createTasks",
        "{'taskDataList':[{'userId':'u','taskType':'%s','taskStage':'s','idempotencyKey':'known'}]}"
            .formatted(lark.name()));
  }

  private Answer create(String more) {
    return wire.post(
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'%s','taskStage':'s'%s}}"
            .formatted(lark.name(), more));
  }

  private Answer report(Task task) {
    return wire.post(
        "/api/task/set_task",
        "{'taskId':'%s','workerId':'%s','leaseEpoch':%s,'outcome':'SUCCESS'}"
            .formatted(task.taskId(), task.workerId(), task.leaseEpoch()));
  }

  private void awaitLockWait() {
    awaitLockWaits(1);
  }

  private void awaitLockWaits(int count) {
    String waiting =
        "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    await().until(() -> jdbc.sql(waiting).query(Integer.class).single() >= count);
  }

  private static void assertRefused(Answer answer) {
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.code()).isEqualTo(8080);
    assertThat(answer.header("Retry-After")).isEqualTo("1");
  }
}
