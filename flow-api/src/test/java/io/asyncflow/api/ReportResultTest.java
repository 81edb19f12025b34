package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

class ReportResultTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Test
  void verdictTravelsByItsName() throws Exception {
    ReportResult refused = ReportResult.refused("1_lark_task_1", ErrorCode.LEASE_LOST, "too late");
    String json = JSON.writeValueAsString(refused);
    assertThat(JSON.readTree(json).path("outcome").asText()).isEqualTo("REFUSED");
    assertThat(JSON.readValue(json, ReportResult.class)).isEqualTo(refused);
  }

  @Test
  void wordOfALaterVersionSpoilsNothing() throws Exception {
    String json =
        "{\"taskId\":\"1_lark_task_1\",\"outcome\":\"DEFERRED\",\"code\":0,\"msg\":\"ok\"}";
    ReportResult result = JSON.readValue(json, ReportResult.class);
    assertThat(result.outcome()).isNull();
    assertThat(result.stands()).isTrue();
  }
}
