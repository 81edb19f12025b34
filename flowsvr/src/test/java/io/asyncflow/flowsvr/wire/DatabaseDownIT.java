package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.EmbeddedMariaDb;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The row 8090 of the error table: what every call answers while there is no database. */
class DatabaseDownIT {

  @TempDir Path directory;

  @Test
  void everyCallIs503WithinThreeSecondsAndWorksAgainByItself() {
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(directory.resolve("db"), 0);
        ConfigurableApplicationContext server = start(database)) {
      Wire wire =
          new Wire(server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
      assertThat(wire.post("/api/task_schedule_cfg/save", "{'task_type':'down'}").status())
          .isEqualTo(200);
      String id = create(wire).result().path("taskId").asString();
      Map<String, Supplier<Answer>> calls =
          Map.of(
              "list types", () -> wire.get("/api/task_schedule_cfg/list"),
              "create", () -> create(wire),
              "get", () -> wire.get("/api/task/getTask?taskId=" + id),
              "hold", () -> wire.get("/api/task/hold_task?taskType=down&waitMs=100"),
              "unknown type", () -> wire.get("/api/task/hold_task?taskType=unknown"),
              "report",
                  () ->
                      wire.post(
                          "/api/task/set_task",
                          "{'taskId':'" + id + "','workerId':'w','leaseEpoch':1,'outcome':'FAIL'}"),
              "beat",
                  () ->
                      wire.post(
                          "/api/worker/heartbeat",
                          "{'workerId':'w','tasks':[{'taskId':'" + id + "','leaseEpoch':1}]}"));

      database.kill();

      calls.forEach(
          (name, call) -> {
            long begin = System.nanoTime();
            Answer answer = call.get();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as(name)
                .isLessThan(Duration.ofSeconds(6)); // twice what is promised, on a busy machine
            assertThat(answer.status()).as(name + " " + answer.body()).isEqualTo(503);
            assertThat(answer.code()).as(name).isEqualTo(8090);
            assertThat(answer.body().path("retryable").asBoolean()).as(name).isTrue();
            assertThat(answer.header("Retry-After")).as(name).isEqualTo("1");
            assertThat(answer.body().path("traceId").asString()).matches("[0-9a-f]{32}");
          });
      assertThat(wire.get("/actuator/health/readiness").status()).isEqualTo(503);
      assertThat(wire.get("/actuator/health/liveness").status()).isEqualTo(200);

      database.restart();

      await().atMost(Duration.ofSeconds(30)).until(() -> create(wire).status() == 200);
      for (String name : List.of("list types", "create", "get", "hold")) {
        assertThat(calls.get(name).get().status()).as(name).isEqualTo(200);
      }
    }
  }

  private static Answer create(Wire wire) {
    return wire.post(
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'down','taskStage':'s','taskContext':''}}");
  }

  private static ConfigurableApplicationContext start(EmbeddedMariaDb database) {
    return new SpringApplication(FlowServer.class)
        .run(
            "--server.port=0",
            "--spring.datasource.url=" + database.endpoint().jdbcUrl("down"),
            "--spring.datasource.username=" + database.endpoint().user(),
            "--spring.datasource.password=" + database.endpoint().password());
  }
}
