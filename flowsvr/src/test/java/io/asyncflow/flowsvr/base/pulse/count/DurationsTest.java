package io.asyncflow.flowsvr.base.pulse.count;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Durations on their way to a row, and the objectives that a service is held to. */
class DurationsTest {

  private final Durations durations = new Durations();

  @Test
  void boundsAreRoundAndSorted() {
    assertThat(Objectives.durations())
        .contains(Duration.ofMillis(10), Duration.ofMinutes(1), Duration.ofDays(1))
        .isSorted();
  }

  @Test
  void whatWasDrainedIsNoNews() {
    List.of(5L, 1_000L, 1_001L).forEach(durations::add);
    Histogram drained = new Histogram();
    durations.drainTo(drained);
    assertThat(drained.size()).isEqualTo(3);

    durations.add(-3);
    durations.drainTo(drained);
    durations.drainTo(drained);
    assertThat(drained.size()).isEqualTo(4);
    assertThat(drained.percentile(0.01)).hasValue(0);
  }
}
