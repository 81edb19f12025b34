package io.asyncflow.flowsvr.compose.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FireMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final FireMeters meters = new FireMeters(registry);

  private double fires(String type, String outcome) {
    return registry
        .get("asyncflow.schedule.fires")
        .tags("type", type, "outcome", outcome)
        .counter()
        .count();
  }

  private double passed(String type, String reason) {
    return registry
        .get("asyncflow.schedule.passed")
        .tags("type", type, "reason", reason)
        .counter()
        .count();
  }

  private static Optional<TaskType> type(String name) {
    return TaskType.parse(name);
  }

  @Test
  void firstFireOfATypeBeginsAllOfItsCounters() {
    meters.fired(type("lark"), FireOutcome.CREATED, 2);
    assertThat(fires("lark", "created")).isEqualTo(2);
    assertThat(fires("lark", "refused")).isZero();
    assertThat(passed("lark", "missed")).isZero();
    meters.passed(type("lark"), GapReason.MISSED, 3);
    meters.fired(type("tts"), FireOutcome.REFUSED, 1);
    assertThat(passed("lark", "missed")).isEqualTo(3);
    assertThat(fires("tts", "refused")).isEqualTo(1);
    assertThat(fires("lark", "refused")).isZero();
  }

  @Test
  void typesBeyondTheMostShareSeries() {
    IntStream.range(0, TypeSeries.MOST + 3)
        .forEach(i -> meters.fired(type("type" + i), FireOutcome.SKIPPED, 1));
    assertThat(registry.get("asyncflow.schedule.fires").tag("outcome", "skipped").counters())
        .hasSize(TypeSeries.MOST + 1);
    assertThat(fires(TypeSeries.OTHERS, "skipped")).isEqualTo(3);
    meters.fired(Optional.empty(), FireOutcome.REFUSED, 1);
    assertThat(fires(TypeSeries.OTHERS, "refused")).isEqualTo(1);
  }
}
