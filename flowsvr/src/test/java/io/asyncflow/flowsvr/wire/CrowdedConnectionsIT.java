package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** More connections without a request than the server may have open at all. */
@RunningServer
@TestPropertySource(
    properties = {
      "server.tomcat.max-connections=" + CrowdedConnectionsIT.LIMIT,
      "flow.access.api-key=" + CrowdedConnectionsIT.KEY
    })
class CrowdedConnectionsIT {

  static final int LIMIT = 60;
  static final String KEY = "d41f8cd98f00b2e9800998ecf8427e4b";

  @LocalServerPort int port;
  @Autowired TaskHolds holds;

  @Test
  void theyAreClosedAndWhatWaitsForItsAnswerIsNot() throws IOException {
    Wire wire = new Wire(port);
    post(wire, "/api/task_schedule_cfg/save", "{'task_type':'crowded'}");
    CompletableFuture<HttpResponse<String>> parked =
        HttpClient.newHttpClient()
            .sendAsync(
                wire.request("/api/task/hold_task?taskType=crowded&workerId=w&waitMs=30000")
                    .header("Authorization", "Bearer " + KEY)
                    .build(),
                BodyHandlers.ofString());
    await().until(() -> holds.parked() == 1);

    String beat = "POST /api/worker/heartbeat HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    List<String> beginnings =
        List.of("", "GET / HTTP/1.1\r\nX: a", "GET /", beat + "GET /", "\r\n", "G");
    try (SlowClients clients = new SlowClients(port, LIMIT * 5, beginnings)) {
      AnswerTimes.areShortUntil(
          () -> clients.stillThere() < LIMIT,
          () -> new Wire(port).get("/actuator/health/liveness").status(),
          () -> post(new Wire(port), "/api/worker/heartbeat", "{'workerId':'w','tasks':[]}"));
      assertThat(clients.stillThere()).as("where there is room").isPositive();
    }

    assertThat(holds.parked()).isEqualTo(1);
    post(
        wire,
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'crowded','taskStage':'s'}}");
    assertThat(parked.orTimeout(30, TimeUnit.SECONDS).join().body()).contains("crowded_task_1");
  }

  private static int post(Wire wire, String path, String json) {
    Answer answer =
        wire.send(
            wire.request(path)
                .header("Authorization", "Bearer " + KEY)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
    assertThat(answer.status()).isEqualTo(200);
    return answer.status();
  }
}
