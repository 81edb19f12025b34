package io.asyncflow.console.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChartTest {

  private static final long MINUTE = 60_000;

  private static List<Long> values(Integer... values) {
    return Arrays.stream(values).map(value -> value == null ? null : value.longValue()).toList();
  }

  @Test
  void topAndHalfOfAScaleAreEasilyRead() {
    assertThat(Scale.ofCounts(0)).isEqualTo(new Scale(2));
    assertThat(Scale.ofCounts(3)).isEqualTo(new Scale(4));
    assertThat(Scale.ofCounts(1_890)).isEqualTo(new Scale(2_000));
    assertThat(Scale.ofCounts(4_001)).isEqualTo(new Scale(10_000));
    assertThat(Scale.ofDurations(1_450)).isEqualTo(new Scale(2_000));
    assertThat(Scale.ofDurations(41_000)).isEqualTo(new Scale(60_000));
    assertThat(Scale.ofDurations(61_000).half()).isEqualTo(MINUTE);
    assertThat(Scale.ofDurations(Long.MAX_VALUE / 2)).isEqualTo(new Scale(Long.MAX_VALUE / 2));
  }

  @Test
  void everyScaleReachesWhatItShows() {
    for (long highest = 1; highest < 4_000_000_000L; highest = highest * 3 / 2 + 1) {
      assertThat(Scale.ofCounts(highest).top()).isGreaterThanOrEqualTo(highest);
      assertThat(Scale.ofDurations(highest).top()).isBetween(highest, highest * 4);
    }
  }

  @Test
  void lineBreaksAtGaps() {
    assertThat(Shapes.line(values(0, 2, null, 4, 4), new Scale(4)))
        .isEqualTo("M5 200 15 100M35 0 45 0");
  }

  @Test
  void valueBetweenGapsIsADot() {
    assertThat(Shapes.line(values(null, 4, null), new Scale(4))).isEqualTo("M15 0h0");
  }

  @Test
  void areaGoesThereAndBack() {
    assertThat(Shapes.area(values(0, 0, null, 1), values(2, 4, 4, 4), new Scale(4)))
        .isEqualTo("M5 100 15 0 15 200 5 200zM35 0 35 150z");
  }

  @Test
  void barsStandOnEachOtherAndNoneIsUnseen() {
    assertThat(Shapes.bars(values(2, 0, null), values(2, null, 4), new Scale(4)))
        .isEqualTo("M1 100V0h8V100zM21 200V0h8V200z");
    assertThat(Shapes.bars(values(0), values(1), new Scale(1_000_000)))
        .isEqualTo("M1 200V199h8V200z");
  }

  @Test
  void barsOfBothFitTheScale() {
    Chart chart =
        Chart.bars(
            "failed",
            0,
            MINUTE,
            "failed",
            "retried",
            Map.of("failed", values(3, 0), "retried", values(3, null)));

    assertThat(chart.scale()).isEqualTo(new Scale(10));
    assertThat(chart.isEmpty()).isFalse();
    assertThat(chart.width()).isEqualTo(20);
    assertThat(chart.time(1)).isEqualTo(MINUTE);
    assertThat(chart.to()).isEqualTo(2 * MINUTE);
  }

  @Test
  void chartIsEmptyIfNothingHappenedOrNothingIsKnown() {
    assertThat(
            Chart.lines("x", 0, MINUTE, "a", "b", Map.of("a", values(0, null), "b", values(0, 0)))
                .isEmpty())
        .isTrue();
    List<Long> unknown = values(null, null);
    assertThat(
            Chart.band("x", 0, MINUTE, Map.of("p50", unknown, "p95", unknown, "p99", unknown))
                .isEmpty())
        .isTrue();
    List<Long> immediate = values(0, null);
    assertThat(
            Chart.band("x", 0, MINUTE, Map.of("p50", immediate, "p95", immediate, "p99", immediate))
                .isEmpty())
        .isFalse();
  }

  @Test
  void curveTellsItsSumItsHighestAndItsLatestValue() {
    Chart.Curve curve =
        Chart.lines(
                "x",
                0,
                MINUTE,
                "a",
                "b",
                Map.of("a", values(1, 7, 2, null), "b", values(0, 0, 0, 0)))
            .curves()
            .get(0);

    assertThat(curve.sum()).isEqualTo(10);
    assertThat(curve.highest()).isEqualTo(7);
    assertThat(curve.latest()).isEqualTo(2);
  }

  @Test
  void sparkStaysWithinItsDrawing() {
    Spark spark = new Spark(values(0, 10, 5));

    assertThat(spark.path()).isEqualTo("M0 15 2 1 4 8");
    assertThat(spark.width()).isEqualTo(4);
    assertThat(spark.lastWhole()).isEqualTo(10);
    assertThat(spark.plus(new Spark(values(1, 1, 1))).values()).containsExactly(1L, 11L, 6L);
    assertThat(Spark.flat(3).path()).isEqualTo("M0 15 2 15 4 15");
    assertThat(new Spark(List.of()).lastWhole()).isZero();
  }
}
