package io.asyncflow.flowsvr.base.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
  void typesBeyondTheMostShareSeriesAndNoCountIsLost() {
    for (int i = 0; i < 5_000; i++) {
      meters.revoked("type" + i);
      meters.held("type" + i, Duration.ZERO);
    }

    assertThat(registry.find("asyncflow.runs.revoked").counters())
        .hasSize(201)
        .extracting(Counter::count)
        .satisfies(counts -> assertThat(sum(counts)).isEqualTo(5_000));
    assertThat(registry.find("asyncflow.hold.wait").timers()).hasSize(201);
    assertThat(registry.get("asyncflow.hold.wait").tag("type", "…").timer().count())
        .isEqualTo(4_800);
  }

  @Test
  void gaugesOfTypesBeyondTheMostAreAddedUp() {
    Map<String, Integer> lanes = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      lanes.put("type" + i, 2);
    }
    meters.showByType("lanes", "sets of workers", lanes);

    assertThat(registry.find("asyncflow.lanes").gauges()).hasSize(201);
    assertThat(registry.get("asyncflow.lanes").tag("type", "…").gauge().value()).isEqualTo(200);
  }

  private static double sum(List<? extends Double> counts) {
    return counts.stream().mapToDouble(Double::doubleValue).sum();
  }
}
