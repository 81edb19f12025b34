package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.DatabaseEndpoint;
import io.asyncflow.dev.TestEngines;
import io.asyncflow.flowsvr.lease.TaskHolds;
import io.asyncflow.flowsvr.wire.Wire;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** How the server starts and stops, and the one sentence that it says where it cannot. */
@ExtendWith(OutputCaptureExtension.class)
class StartupIT {

  @Test
  void unreachableDatabaseIsOneSentence(CapturedOutput output) throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    String url = "jdbc:mysql://127.0.0.1:" + closed + "/asyncflow?password=secret";

    assertThatThrownBy(() -> start("--spring.datasource.url=" + url)).isNotNull();

    assertThat(sentence(output))
        .contains("the database at jdbc:mysql://127.0.0.1:" + closed + "/asyncflow does not answer")
        .contains("FLOW_MYSQL_URL")
        .doesNotContain("secret");
    assertNoStackTrace(output);
  }

  @Test
  void wrongPasswordIsOneSentence(CapturedOutput output) {
    assertThatThrownBy(
            () ->
                start(
                    "--spring.datasource.url=" + TestEngines.database().jdbcUrl("startup"),
                    "--spring.datasource.username=nobody",
                    "--spring.datasource.password=wrong"))
        .isNotNull();

    assertThat(sentence(output)).contains("lets us not in").contains("FLOW_MYSQL_PASSWORD");
    assertNoStackTrace(output);
  }

  @Test
  void takenPortIsOneSentence(CapturedOutput output) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();

      assertThatThrownBy(() -> start(withDatabase("--server.port=" + port))).isNotNull();

      assertThat(sentence(output)).contains("port " + port + " is taken").contains("FLOW_PORT");
      assertNoStackTrace(output);
    }
  }

  @Test
  void openAddressWithoutAKeyIsOneSentence(CapturedOutput output) {
    assertThatThrownBy(() -> start(withDatabase("--flow.access.address=0.0.0.0"))).isNotNull();

    assertThat(sentence(output)).contains("FLOW_ADDRESS 0.0.0.0").contains("FLOW_API_KEY");
    assertNoStackTrace(output);
  }

  @Test
  void withAKeyEveryRouteButHealthAsksForIt() {
    try (ConfigurableApplicationContext server =
        start(withDatabase("--flow.access.api-key=k3y", "--server.port=0"))) {
      int port = server.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
      Wire wire = new Wire(port);

      Wire.Answer refused = wire.get("/api/task_schedule_cfg/list");
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.code()).isEqualTo(8070);
      assertThat(refused.body().path("traceId").asString()).matches("[0-9a-f]{32}");
      assertThat(refused.header("WWW-Authenticate")).isEqualTo("Bearer");
      assertThat(wire.get("/v3/api-docs").status()).isEqualTo(401);
      assertThat(wire.get("/nowhere").status()).isEqualTo(401);
      assertThat(wire.get("/actuator/health/readiness").status()).isEqualTo(200);
      assertThat(
              wire.send(
                      wire.request("/api/task_schedule_cfg/list")
                          .header("Authorization", "Bearer k3y")
                          .GET())
                  .status())
          .isEqualTo(200);
    }
  }

  @Test
  void stoppingServerAnswersParkedHoldsAtOnce() {
    ConfigurableApplicationContext server = start(withDatabase("--server.port=0"));
    Wire wire =
        new Wire(server.getEnvironment().getProperty("local.server.port", Integer.class, 0));
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'parked'}");
    CompletableFuture<Wire.Answer> parked =
        CompletableFuture.supplyAsync(
            () -> wire.get("/api/task/hold_task?taskType=parked&workerId=w&waitMs=30000"));
    TaskHolds holds = server.getBean(TaskHolds.class);
    await().until(() -> holds.parked() == 1);

    long begin = System.nanoTime();
    server.close();

    assertThat(parked.join().status()).isEqualTo(200);
    assertThat(parked.join().result().path("taskList").isEmpty()).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void serverStartsAndWorksAlthoughRedisIsDead(CapturedOutput output) throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    try (ConfigurableApplicationContext server =
        start(withDatabase("--server.port=0", "--flow.redis.url=redis://127.0.0.1:" + closed))) {
      Wire wire =
          new Wire(server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
      wire.post("/api/task_schedule_cfg/save", "{'task_type':'alone'}");
      for (int i = 0; i < 10; i++) {
        wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'alone','taskStage':'s'}}");
      }
      Wire.Answer held = wire.get("/api/task/hold_task?taskType=alone&workerId=w&waitMs=1000");

      assertThat(held.result().path("taskList").size()).isEqualTo(10);
      assertThat(wire.get("/actuator/health/readiness").status()).isEqualTo(200);
      await().until(() -> output.getOut().contains("redis-subscribe failed"));
      assertNoStackTrace(output);
    }
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplication(FlowServer.class).run(arguments);
  }

  private static String[] withDatabase(String... arguments) {
    DatabaseEndpoint database = TestEngines.database();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--spring.datasource.url=" + database.jdbcUrl(TestEngines.newSchema("startup")));
    all.add("--spring.datasource.username=" + database.user());
    all.add("--spring.datasource.password=" + database.password());
    return all.toArray(String[]::new);
  }

  private static String sentence(CapturedOutput output) {
    List<String> said =
        output.getAll().lines().filter(l -> l.contains("flowsvr does not start: ")).toList();
    assertThat(said).hasSize(1);
    return said.get(0);
  }

  private static void assertNoStackTrace(CapturedOutput output) {
    assertThat(output.getAll().lines().filter(line -> line.startsWith("\tat "))).isEmpty();
  }
}
