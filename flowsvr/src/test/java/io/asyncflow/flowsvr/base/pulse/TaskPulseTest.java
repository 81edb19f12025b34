package io.asyncflow.flowsvr.base.pulse;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.asyncflow.flowsvr.base.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.pulse.failure.FailureNotes;
import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/**
 * What is taken every ten seconds for the database and what Prometheus sees are the same events.
 */
class TaskPulseTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final Tags FIRST = Tags.of("type", "lark", "stage", "first");

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final TaskPulse pulse =
      new TaskPulse(mock(FailureNotes.class), new PulseMeters(registry));

  private long total(Tags tags) {
    Counter counter = registry.find("asyncflow.tasks.submitted").tags(tags).counter();
    return counter == null ? 0 : (long) counter.count();
  }

  private Timer timer(String name) {
    return registry.get("asyncflow.tasks." + name).tags(FIRST).timer();
  }

  @Test
  void totalsOutliveTheCountersOfAQuietStage() {
    pulse.created(LARK, "first", 3);
    assertThat(total(FIRST)).isEqualTo(3);
    assertThat(total(FIRST)).as("a look changes nothing").isEqualTo(3);
    StageCounters counters = pulse.of(LARK, "first");

    Numbers drained = pulse.drain().get(new Place("lark", "first"));
    assertThat(drained.count(Count.CREATED)).isEqualTo(3);
    assertThat(total(FIRST)).isEqualTo(3);

    for (int i = 0; i < 20; i++) {
      pulse.drain();
    }
    assertThat(pulse.of(LARK, "first")).as("was forgotten").isNotSameAs(counters);
    pulse.created(LARK, "first", 2);
    assertThat(total(FIRST)).isEqualTo(5);
  }

  @Test
  void durationsComeToBoth() {
    StageCounters first = pulse.of(LARK, "first");
    first.waited(1_500);
    first.lived(70_000);
    first.count(Count.HELD, 1);

    assertThat(timer("wait").count()).isEqualTo(1);
    assertThat(timer("life").totalTime(SECONDS)).isEqualTo(70);
    Numbers drained = pulse.drain().get(new Place("lark", "first"));
    assertThat(drained.waits().size()).isEqualTo(1);
    assertThat(timer("wait").totalTime(SECONDS)).isEqualTo(1.5);
  }

  @Test
  void stagesBeyondTheMostShareASeries() {
    for (int i = 0; i < 100; i++) {
      pulse.created(LARK, "s" + i, 1);
      if (i % 7 == 0) {
        pulse.drain();
      }
    }

    assertThat(registry.find("asyncflow.tasks.submitted").counters()).hasSize(17);
    assertThat(total(Tags.of("type", "lark", "stage", Numbers.OTHER_STAGES))).isEqualTo(84);
    assertThat(
            registry.find("asyncflow.tasks.submitted").counters().stream()
                .mapToDouble(Counter::count)
                .sum())
        .isEqualTo(100);
  }

  @Test
  void typesBeyondTheMostAreCountedTogetherForPrometheusAlone() {
    for (int i = 0; i < 300; i++) {
      pulse.created(new TaskType("t" + i), "first", 1);
    }
    Tags others = Tags.of("type", TypeSeries.OTHERS, "stage", Numbers.OTHER_STAGES);
    assertThat(total(others)).isEqualTo(100);
    assertThat(pulse.drain()).doesNotContainKey(new Place(TypeSeries.OTHERS, "")).hasSize(400);
    assertThat(total(others)).as("is kept").isEqualTo(100);
  }
}
