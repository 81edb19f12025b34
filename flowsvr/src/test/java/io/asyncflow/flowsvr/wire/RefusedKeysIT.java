package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Somebody who tries keys, and a fleet at the same address that has the right one. */
@KeyedServer
class RefusedKeysIT {

  private static final String LIST = "/api/task_schedule_cfg/list";

  @LocalServerPort int port;
  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
  }

  private Answer listWith(String key) {
    return wire.send(wire.request(LIST).header("Authorization", "Bearer " + key));
  }

  @Test
  void addressThatTriesKeysIsSlowedDownAndTheRightKeyStillLetIn() throws Exception {
    List<Answer> refused = new ArrayList<>();
    for (int i = 0; i < 31; i++) {
      refused.add(listWith("guess-" + i));
      assertThat(listWith(KeyedServer.KEY).status()).isEqualTo(200);
    }

    assertThat(refused).allMatch(answer -> answer.status() == 401 || answer.status() == 429);
    Answer last = refused.get(30);
    assertThat(last.status()).isEqualTo(429);
    assertThat(last.code()).isEqualTo(8080);
    assertThat(Integer.parseInt(last.header("Retry-After"))).isBetween(1, 60);
    assertThat(wire.get("/actuator/health/liveness").status()).isEqualTo(200);
    var metrics =
        wire.request("/actuator/prometheus").header("Authorization", "Bearer " + KeyedServer.KEY);
    assertThat(HttpClient.newHttpClient().send(metrics.build(), BodyHandlers.ofString()).body())
        .containsPattern("asyncflow_access_refused_total (3[1-9]|[4-9][0-9]|[0-9]{3,})\\.0");
  }
}
