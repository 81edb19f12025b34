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
  void whatHappensIsCountedByType() {
    meters.held("lark", Duration.ofMillis(250));
    meters.held("lark", Duration.ofMillis(50));
    meters.refused("lark", "ALREADY_DONE");
    meters.eventsWritten("lark", 2);
    meters.eventsWritten("tts", 3);
    meters.governed("sweep", true, Duration.ofMillis(5));

    assertThat(registry.get("asyncflow.hold.wait").timer().totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(300);
    assertThat(
            registry
                .get("asyncflow.reports.refused")
                .tag("answer", "already_done")
                .counter()
                .count())
        .isEqualTo(1);
    assertThat(registry.get("asyncflow.events.written").tag("type", "tts").counter().count())
        .isEqualTo(3);
    assertThat(registry.get("asyncflow.governance.runs").tag("outcome", "failed").timer().count())
        .isEqualTo(1);
  }

  @Test
  void numberOfSeriesIsBounded() {
    for (int i = 0; i < 5_000; i++) {
      meters.revoked("type" + i);
      meters.held("type" + i, Duration.ZERO);
    }

    assertThat(registry.find("asyncflow.runs.revoked").counters()).hasSizeLessThanOrEqualTo(200);
    assertThat(registry.find("asyncflow.hold.wait").timers()).hasSizeLessThanOrEqualTo(200);
  }
}
