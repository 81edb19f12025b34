package io.asyncflow.console.page.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.find.JobMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobMapViewTest {

  @Test
  void cellsSideBySideAreOneLineOfTheirStatus() {
    JobMapView map = JobMapView.of(List.of(new JobMap(0, "ssf" + "s".repeat(100), Map.of())));

    assertThat(map.shapes())
        .containsExactly(
            new JobMapView.Shape("success", "M0 5h19M30 5h969M0 15h29"),
            new JobMapView.Shape("failed", "M20 5h9"));
    assertThat(map.height()).isEqualTo(20);
    assertThat(map.counts()).containsEntry('s', 102).containsEntry('f', 1);
  }

  @Test
  void largeJobSharesCellsWhichShowWhatAsksForAttention() {
    String stretch = "s".repeat(19) + "f" + "s".repeat(4_980);
    JobMapView map =
        JobMapView.of(
            List.of(new JobMap(0, stretch, Map.of(3, 50)), new JobMap(5_000, "w", Map.of())));

    assertThat(map.childrenOfCell()).isEqualTo(20);
    assertThat(map.letters()).hasSize(251).startsWith("fs").endsWith("sw");
    assertThat(map.counts()).containsEntry('f', 1);
    assertThat(map.total()).isEqualTo(5_001);
  }

  @Test
  void fiveThousandMixedCellsStaySmall() {
    JobMapView map = JobMapView.of(List.of(new JobMap(0, "sfrwc".repeat(1_000), Map.of())));

    assertThat(map.shapes()).hasSize(5);
    assertThat(map.shapes().stream().mapToInt(shape -> shape.path().length()).sum())
        .isLessThan(60_000);
  }
}
