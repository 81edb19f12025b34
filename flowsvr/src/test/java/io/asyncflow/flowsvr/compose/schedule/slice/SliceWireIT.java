package io.asyncflow.flowsvr.compose.schedule.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;

/** The calls about slices, byte by byte, on a server that takes none itself. */
@RunningServer
@TestPropertySource(properties = "flow.schedule.enabled=false")
@Tag("contract")
class SliceWireIT {

  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private Wire wire;

  @BeforeEach
  void threeServers() {
    wire = new Wire(port);
    aServer(901, "ann", 100);
    aServer(902, "bob", 300);
    aServer(903, "idle", 0);
    jdbc.sql(
            """
            UPDATE t_schedule_slice
            SET owner = IF(slice < 60, 'ann', 'bob'),
                epoch = 5,
                lease_end = 9000000000000,
                take_time = 1700000000000,
                load_ = 10,
                schedules = 2
            """)
        .update();
  }

  private void aServer(int number, String node, int weight) {
    jdbc.sql(
            """
            INSERT INTO t_server_number (server_number, owner, host, start_time, lease_end,
              id_time_limit, version, schedule_weight, busy)
            VALUES (:number, :node, 'host-a', 1, 9000000000000, 1, '1.2', :weight, 7)
            """)
        .param("number", number)
        .param("node", node)
        .param("weight", weight)
        .update();
  }

  @AfterEach
  void serversLeave() {
    jdbc.sql("DELETE FROM t_server_number WHERE server_number > 900").update();
    jdbc.sql("UPDATE t_schedule_slice SET owner = '', lease_end = 0, epoch = 0").update();
  }

  private static JsonNode find(JsonNode list, String field, String value) {
    return list.valueStream()
        .filter(item -> item.path(field).asString().equals(value))
        .findAny()
        .orElseThrow();
  }

  @Test
  void slicesAndServersAreShown() {
    for (Wire.Answer answer :
        List.of(wire.get("/api/schedule/slices"), wire.post("/api/schedule/slices"))) {
      assertThat(answer.code()).as(answer.msg()).isZero();
      JsonNode bob = find(answer.result().path("nodeList"), "node", "bob");
      assertThat(bob.propertyNames())
          .containsExactly(
              "node", "host", "version", "weight", "load", "share", "slices", "busy", "beat");
      assertThat(bob.path("weight").asInt()).isEqualTo(300);
      assertThat(bob.path("load").asInt()).isEqualTo(40);
      assertThat(bob.path("share").asInt()).isEqualTo(480);
      assertThat(bob.path("slices").asInt()).isEqualTo(4);
      assertThat(bob.path("busy").asInt()).isEqualTo(7);
      assertThat(find(answer.result().path("nodeList"), "node", "idle").path("share").asInt())
          .isZero();
      assertThat(answer.result().path("sliceList")).hasSize(64);
      JsonNode slice = answer.result().path("sliceList").get(63);
      assertThat(slice.propertyNames())
          .containsExactly(
              "slice", "owner", "epoch", "since", "leaseMs", "load", "schedules", "lateMs");
      assertThat(slice.path("owner").asString()).isEqualTo("bob");
      assertThat(slice.path("since").asLong()).isEqualTo(1_700_000_000_000L);
      assertThat(slice.path("lateMs").asLong()).isZero();
    }
  }

  @Test
  void slicesAreInTheMetrics() {
    for (String meter : List.of("owned", "load", "unowned")) {
      String path = "/actuator/metrics/asyncflow.schedule.slices." + meter;
      assertThat(wire.get(path).status()).as(path).isEqualTo(200);
    }
  }
}
