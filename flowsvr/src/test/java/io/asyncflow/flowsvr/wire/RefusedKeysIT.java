package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/**
 * Somebody who tries keys, and a fleet at the same address that has the right one; in Kubernetes,
 * where Spring Boot would believe the address that each request makes up.
 */
@KeyedServer
@TestPropertySource(properties = "spring.main.cloud-platform=kubernetes")
class RefusedKeysIT {

  private static final String LIST = "/api/task_schedule_cfg/list";

  @LocalServerPort int port;
  private Wire wire;

  @BeforeEach
  void connect() {
    wire = new Wire(port);
  }

  private Answer listWith(String key, int address) {
    return wire.send(
        wire.request(LIST)
            .header("Authorization", "Bearer " + key)
            .header("X-Forwarded-For", "192.0.2." + address));
  }

  @Test
  void addressThatTriesKeysIsSlowedDownAndTheRightKeyStillLetIn() throws Exception {
    Answer last;
    int tries = 0;
    do {
      last = listWith("guess-" + tries, tries);
      assertThat(last.status()).isIn(401, 429);
      assertThat(listWith(KeyedServer.KEY, tries).status()).isEqualTo(200);
      tries++;
      // Twice as many, since the minute may end in between.
    } while (last.status() == 401 && tries < 61);

    assertThat(last.status()).isEqualTo(429);
    assertThat(last.code()).isEqualTo(8080);
    assertThat(Integer.parseInt(last.header("Retry-After"))).isBetween(1, 60);
    assertThat(wire.get("/actuator/health/liveness").status()).isEqualTo(200);
    var metrics =
        wire.request("/actuator/prometheus").header("Authorization", "Bearer " + KeyedServer.KEY);
    assertThat(HttpClient.newHttpClient().send(metrics.build(), BodyHandlers.ofString()).body())
        .containsPattern(
            "asyncflow_access_refused_total\\{reason=\"no-key\"} (3[1-9]|[4-9][0-9]|[0-9]{3,})\\.0");
  }
}
