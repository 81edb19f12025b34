package io.asyncflow.flowsvr.operate.stats.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DepthMetersTest {

  private static final Labels FIRST = Labels.of("type", "lark", "stage", "first");
  private static final Labels SECOND = Labels.of("type", "lark", "stage", "second");

  private final PresentQueries present = mock();
  private boolean leads = true;
  private final DepthMeters meters = new DepthMeters(present, () -> leads);

  private Map<Labels, Double> valuesOf(String name) {
    Map<Labels, Double> values = new TreeMap<>();
    for (MetricSnapshot snapshot : meters.snapshots()) {
      if (snapshot.getMetadata().getName().equals(name)) {
        ((GaugeSnapshot) snapshot)
            .getDataPoints()
            .forEach(point -> values.put(point.getLabels(), point.getValue()));
      }
    }
    return values;
  }

  private void found(StageDepth... depths) {
    when(present.depths(any())).thenReturn(List.of(depths));
  }

  @Test
  void otherServersNeitherShowNorRead() {
    leads = false;
    assertThat(meters.snapshots()).isEmpty();
    verifyNoInteractions(present);
  }

  @Test
  void stageThatIsEmptyKeepsItsSeriesAtZero() {
    found(new StageDepth("lark", "first", 7, 2, 1_500));
    assertThat(valuesOf("asyncflow_tasks_due")).containsExactly(Map.entry(FIRST, 7.0));
    assertThat(valuesOf("asyncflow_tasks_executing")).containsExactly(Map.entry(FIRST, 2.0));
    assertThat(valuesOf("asyncflow_tasks_oldest_due_seconds"))
        .containsExactly(Map.entry(FIRST, 1.5));

    found(new StageDepth("lark", "second", 1, 0, 0));
    assertThat(valuesOf("asyncflow_tasks_due"))
        .containsOnly(Map.entry(FIRST, 0.0), Map.entry(SECOND, 1.0));

    leads = false;
    meters.snapshots();
    leads = true;
    assertThat(valuesOf("asyncflow_tasks_due")).containsExactly(Map.entry(SECOND, 1.0));
  }
}
