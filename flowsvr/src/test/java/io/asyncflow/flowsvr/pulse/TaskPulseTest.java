package io.asyncflow.flowsvr.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.asyncflow.flowsvr.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.pulse.count.Count;
import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.flowsvr.pulse.failure.FailureNotes;
import io.asyncflow.flowsvr.system.TypeSeries;
import io.asyncflow.rules.TaskType;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What is taken every ten seconds for the database and what Prometheus sees are the same events.
 */
class TaskPulseTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final Labels FIRST = Labels.of("type", "lark", "stage", "first");

  private final TaskPulse pulse = new TaskPulse(mock(FailureNotes.class));

  private long total(Labels labels) {
    StageTotals totals = pulse.totals().get(labels);
    return totals == null ? 0 : totals.count(Count.CREATED);
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

    StageTotals seen = pulse.totals().get(FIRST);
    assertThat(LongStream.of(seen.waits().counts()).sum()).isEqualTo(1);
    assertThat(seen.lives().sumSeconds()).isEqualTo(70);
    Numbers drained = pulse.drain().get(new Place("lark", "first"));
    assertThat(drained.waits().size()).isEqualTo(1);
    assertThat(pulse.totals().get(FIRST).waits().sumSeconds()).isEqualTo(1.5);
  }

  @Test
  void stagesBeyondTheMostShareASeries() {
    for (int i = 0; i < 100; i++) {
      pulse.created(LARK, "s" + i, 1);
      if (i % 7 == 0) {
        pulse.drain();
      }
    }

    assertThat(pulse.totals()).hasSize(17);
    assertThat(total(Labels.of("type", "lark", "stage", Numbers.OTHER_STAGES))).isEqualTo(84);
    assertThat(
            pulse.totals().values().stream().mapToLong(totals -> totals.count(Count.CREATED)).sum())
        .isEqualTo(100);
  }

  @Test
  void typesBeyondTheMostAreCountedTogetherForPrometheusAlone() {
    for (int i = 0; i < 300; i++) {
      pulse.created(new TaskType("t" + i), "first", 1);
    }
    Labels others = Labels.of("type", TypeSeries.OTHERS, "stage", Numbers.OTHER_STAGES);
    assertThat(total(others)).isEqualTo(100);
    assertThat(pulse.drain()).doesNotContainKey(new Place(TypeSeries.OTHERS, "")).hasSize(400);
    assertThat(total(others)).as("is kept").isEqualTo(100);
  }
}
