package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What SIGTERM does to those who are in the middle of something. */
@Timeout(120)
class ShutdownIT {

  private static final int CLIENTS = 16;

  private final DatabaseEndpoint database = TestServices.database();
  private final String schema = TestServices.newSchema("shutdown");
  private final Relay network = Relay.to(database.port());
  private final ConfigurableApplicationContext server = start();
  private final Wire wire =
      new Wire(server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
  private final JdbcClient sql =
      JdbcClient.create(
          new DriverManagerDataSource(
              database.jdbcUrl(schema), database.user(), database.password()));

  @AfterEach
  void close() {
    network.thaw();
    server.close();
    network.close();
  }

  private ConfigurableApplicationContext start() {
    DatabaseEndpoint far =
        new DatabaseEndpoint(
            "far", database.host(), network.port(), database.user(), database.password());
    return new SpringApplication(FlowServer.class)
        .run(
            "--server.port=0",
            "--spring.datasource.url=" + far.jdbcUrl(schema),
            "--spring.datasource.username=" + far.user(),
            "--spring.datasource.password=" + far.password());
  }

  private Duration stop() {
    long begin = System.nanoTime();
    server.close();
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  private Answer create() {
    return wire.post(
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'stop','taskStage':'s','taskContext':''}}");
  }

  @Test
  void parkedHoldsAreAnsweredAtOnce() {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'stop'}");
    CompletableFuture<Answer> parked =
        CompletableFuture.supplyAsync(
            () -> wire.get("/api/task/hold_task?taskType=stop&workerId=w&waitMs=30000"),
            OtherThread::start);
    TaskHolds holds = server.getBean(TaskHolds.class);
    await().until(() -> holds.parked() == 1);

    Duration took = stop();

    assertThat(parked.join().status()).isEqualTo(200);
    assertThat(parked.join().result().path("taskList").isEmpty()).isTrue();
    assertThat(parked.join().header("Connection")).isEqualTo("close");
    assertThat(took).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void clientsAreSentAwayAndNoRequestIsLost() throws Exception {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'stop'}");
    CountDownLatch busy = new CountDownLatch(CLIENTS);
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    List<Future<Integer>> created = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      created.add(clients.submit(() -> createUntilSentAway(busy)));
    }
    busy.await();

    stop();

    int acknowledged = 0;
    for (Future<Integer> client : created) {
      acknowledged += client.get();
    }
    clients.shutdown();
    assertThat(sql.sql("SELECT COUNT(*) FROM t_stop_task_1").query(Integer.class).single())
        .isEqualTo(acknowledged);
  }

  /** How many were created over one connection after another, as one client uses them. */
  private int createUntilSentAway(CountDownLatch busy) {
    for (int created = 1; ; created++) {
      Answer answer = create();
      assertThat(answer.status()).isEqualTo(200);
      busy.countDown();
      if ("close".equals(answer.header("Connection"))) {
        return created;
      }
    }
  }

  @Test
  void requestUnderWayIsAnswered() throws Exception {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'stop'}");
    String id = create().result().path("taskId").asString();
    try (Connection stranger = database.connect(schema);
        Statement statement = stranger.createStatement()) {
      stranger.setAutoCommit(false);
      statement.execute("UPDATE t_stop_task_1 SET priority = priority");
      CompletableFuture<Answer> cancel =
          CompletableFuture.supplyAsync(
              () -> wire.post("/api/task/cancel", "{'taskId':'" + id + "','reason':'why'}"),
              work -> new Thread(work).start());
      await().until(() -> waitsForALock() > 0);
      CompletableFuture<Duration> stopped =
          CompletableFuture.supplyAsync(this::stop, work -> new Thread(work).start());
      await().until(() -> wire.get("/actuator/health/readiness").status() == 503);

      stranger.commit();

      assertThat(cancel.join().status()).isEqualTo(200);
      stopped.join();
    }
  }

  private int waitsForALock() {
    return sql.sql(
            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
        .query(Integer.class)
        .single();
  }

  @Test
  void leadershipAndServerNumberAreReleased() {
    LeaderElection election = server.getBean(LeaderElection.class);
    await().until(() -> election.term().isPresent());

    stop();

    assertThat(sql.sql("SELECT lease_end FROM t_leader").query(Long.class).list()).containsOnly(0L);
    assertThat(sql.sql("SELECT lease_end FROM t_server_number").query(Long.class).single())
        .isZero();
  }

  @Tag("faults")
  @Test
  void frozenDatabaseDelaysTheEndBySecondsOnly() {
    network.freeze();
    await().until(() -> wire.get("/actuator/health/readiness").status() == 503);

    assertThat(stop()).isLessThan(Duration.ofSeconds(25));
  }
}
