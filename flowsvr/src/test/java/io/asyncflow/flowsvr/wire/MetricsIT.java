package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.RunningServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;

/**
 * What a task that lives and fails leaves in the metrics. On a server of its own: a server counts
 * by type for its first 200 types, and the shared one has seen more.
 */
@RunningServer
@TestPropertySource(properties = "spring.application.name=metered")
class MetricsIT {

  @LocalServerPort int port;
  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
  }

  /** The first measurement of a meter; 0 if it was never used with these tags. */
  private double valueOf(String meter, String... tags) {
    StringBuilder query = new StringBuilder("/actuator/metrics/asyncflow." + meter + "?");
    for (String tag : tags) {
      query.append("tag=").append(tag).append("&");
    }
    JsonNode body = wire.get(query.toString()).body();
    return body == null ? 0 : body.at("/measurements/0/value").asDouble(0);
  }

  @Test
  void lifeOfATaskIsCountedByItsType() {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'measured'}");
    for (int i = 0; i < 3; i++) {
      wire.post(
          "/api/task/createTask",
          "{'taskData':{'userId':'u','taskType':'Measured','taskStage':'s','taskContext':''}}");
    }
    JsonNode held =
        wire.get("/api/task/hold_task?taskType=measured&workerId=w&limit=3")
            .result()
            .path("taskList");
    assertThat(held).hasSize(3);
    String[] outcomes = {"SUCCESS", "FAIL", "RELEASE"};
    for (int i = 0; i < 3; i++) {
      String report =
          "{'taskId':'%s','workerId':'w','leaseEpoch':1,'outcome':'%s','errMsg':'why'}"
              .formatted(held.get(i).path("taskId").asString(), outcomes[i]);
      wire.post("/api/task/set_task", report);
      wire.post("/api/task/set_task", report);
    }

    String type = "type:measured";
    assertThat(valueOf("tasks.submitted", type)).isEqualTo(3);
    assertThat(valueOf("tasks.held", type)).isEqualTo(3);
    assertThat(valueOf("hold.wait", type)).isEqualTo(1);
    assertThat(valueOf("tasks.reported", type, "outcome:SUCCESS")).isEqualTo(1);
    assertThat(valueOf("tasks.reported", type, "outcome:FAIL")).isEqualTo(1);
    assertThat(valueOf("tasks.reported", type, "outcome:RELEASE")).isEqualTo(1);
    assertThat(valueOf("tasks.reported", type)).as("refused ones, too").isEqualTo(6);
    assertThat(valueOf("tasks.failed", type)).isEqualTo(1);
  }

  @Test
  void whatIsSetToFailedWithoutALeaseIsCountedToo() {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'forced'}");
    String[] ids = new String[2];
    for (int i = 0; i < 2; i++) {
      ids[i] =
          wire.post(
                  "/api/task/createTask",
                  "{'taskData':{'userId':'u','taskType':'forced','taskStage':'s','taskContext':''}}")
              .result()
              .path("taskId")
              .asString();
    }

    wire.post("/api/task/set_task", "{'taskData':{'taskId':'%s','status':8}}".formatted(ids[0]));
    String forced = "{'taskId':'%s','status':8,'reason':'why'}".formatted(ids[1]);
    wire.post("/api/task/setStatus", forced);
    wire.post("/api/task/setStatus", forced);

    assertThat(valueOf("tasks.failed", "type:forced")).isEqualTo(2);
  }

  @Test
  void reportsOnTypesThatDoNotExistMakeNoSeries() {
    wire.post(
        "/api/task/set_task",
        "{'taskId':'1_forged_task_1','workerId':'w','leaseEpoch':1,'outcome':'SUCCESS'}");

    assertThat(valueOf("tasks.reported", "type:forged")).isZero();
  }

  @Test
  void serverShowsHowItIs() {
    assertThat(valueOf("database.up")).isEqualTo(1);
    assertThat(valueOf("redis.breaker.open")).isZero();
    assertThat(wire.get("/actuator/metrics/asyncflow.holds.parked").status()).isEqualTo(200);
    assertThat(wire.get("/actuator/metrics/asyncflow.leader").status()).isEqualTo(200);
    assertThat(wire.get("/actuator/metrics/asyncflow.tasks.late").status()).isEqualTo(200);
    assertThat(wire.get("/actuator/metrics/hikaricp.connections.active").status()).isEqualTo(200);
  }

  @Test
  void prometheusReadsThemAllAtOnce() throws Exception {
    wire.post("/api/task_schedule_cfg/save", "{'task_type':'scraped'}");
    wire.post(
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'scraped','taskStage':'s','taskContext':''}}");

    String scraped =
        send(wire.request("/actuator/prometheus").header("Accept", "text/plain;version=0.0.4"));
    assertThat(scraped)
        .contains("asyncflow_tasks_submitted_total{type=\"scraped\"} 1.0")
        .contains("asyncflow_database_up 1.0")
        .contains("http_server_requests_seconds_count{");
  }

  private static String send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }
}
