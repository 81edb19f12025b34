package io.asyncflow.flowsvr.compose.schedule.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FireLeadTest {

  @ParameterizedTest
  @ValueSource(strings = {"-PT1S", "PT1H0.001S", "P2D"})
  void isRefusedIfFiresWouldBeLateOrOutOfReachOfAPause(String time) {
    assertThatThrownBy(() -> new FireLead(Duration.parse(time)))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("flow.schedule.ahead")
        .hasMessageContaining("from 0s to 1h");
  }

  @Test
  void isFromNothingToAnHour() {
    assertThat(new FireLead(Duration.ZERO).ms()).isZero();
    assertThat(new FireLead(Duration.ofHours(1)).ms()).isEqualTo(3_600_000);
  }
}
