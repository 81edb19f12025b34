package io.asyncflow.flowsvr.wire;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.tasktype.TaskType;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** A database that does not get on must not take all threads of a server. */
@UnsweptServer
@TestPropertySource(properties = {"flow.single-creates-at-once=1", "flow.small-reports-at-once=1"})
class BackPressureIT {

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired DataSource database;
  @Autowired JdbcClient jdbc;

  private Wire wire;
  private TaskType lark;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
    lark = given.aType().create();
  }

  @Test
  void createsPastTheBoundAreRefused() throws Exception {
    create(",'idempotencyKey':'known'");
    try (Connection other = database.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE t_task_key SET expire_time = expire_time + 1");

      CompletableFuture<Answer> stuck =
          CompletableFuture.supplyAsync(() -> create(",'idempotencyKey':'known'"));
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

      CompletableFuture<Answer> stuck = CompletableFuture.supplyAsync(() -> report(one));
      awaitLockWait();

      assertRefused(report(two));
      other.rollback();
      assertThat(stuck.get(30, SECONDS).code()).isZero();
    }
    assertThat(report(two).code()).isZero();
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
        "{'taskId':'%s','workerId':'%s','leaseEpoch':%d,'outcome':'SUCCESS'}"
            .formatted(task.taskId(), task.workerId(), task.leaseEpoch()));
  }

  private void awaitLockWait() {
    String waiting =
        "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    await().until(() -> jdbc.sql(waiting).query(Integer.class).single() > 0);
  }

  private static void assertRefused(Answer answer) {
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.code()).isEqualTo(8080);
    assertThat(answer.header("Retry-After")).isEqualTo("1");
  }
}
