package io.asyncflow.flowsvr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TaskMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final TaskMeters meters = new TaskMeters(registry);

  @Test
  void whatHappensToTasksIsCountedByType() {
    meters.created("lark", 3);
    meters.created("lark", 2);
    meters.created("tts", 1);
    meters.held("lark", 4, Duration.ofMillis(250));
    meters.reported("lark", "SUCCESS");
    meters.failed("lark", 2);
    meters.leaseExpired("lark", "POISON");
    meters.governed("sweep", true, Duration.ofMillis(5));

    assertThat(registry.get("asyncflow.tasks.submitted").tag("type", "lark").counter().count())
        .isEqualTo(5);
    assertThat(registry.get("asyncflow.tasks.held").counter().count()).isEqualTo(4);
    assertThat(registry.get("asyncflow.hold.wait").timer().totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(250);
    assertThat(registry.get("asyncflow.tasks.reported").tag("outcome", "SUCCESS").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("asyncflow.tasks.failed").counter().count()).isEqualTo(2);
    assertThat(registry.get("asyncflow.leases.expired").tag("verdict", "POISON").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("asyncflow.governance.runs").tag("outcome", "failed").timer().count())
        .isEqualTo(1);
  }

  @Test
  void numberOfSeriesIsBounded() {
    for (int i = 0; i < 5_000; i++) {
      meters.created("type" + i, 1);
      meters.held("type" + i, 1, Duration.ZERO);
    }

    assertThat(registry.find("asyncflow.tasks.submitted").counters()).hasSizeLessThanOrEqualTo(200);
    assertThat(registry.find("asyncflow.hold.wait").timers()).hasSizeLessThanOrEqualTo(200);
  }
}
