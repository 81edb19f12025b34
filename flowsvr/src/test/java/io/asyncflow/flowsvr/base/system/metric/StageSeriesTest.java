package io.asyncflow.flowsvr.base.system.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.base.system.TypeSeries;
import org.junit.jupiter.api.Test;

class StageSeriesTest {

  private final StageSeries series = new StageSeries("…");

  private String stageOf(String type, String stage) {
    return series.of(type, stage).get("stage");
  }

  @Test
  void firstStagesOfATypeKeepSeriesOfTheirOwn() {
    for (int i = 0; i < StageSeries.STAGES; i++) {
      assertThat(stageOf("lark", "s" + i)).isEqualTo("s" + i);
    }
    assertThat(stageOf("lark", "late")).isEqualTo("…");
    assertThat(stageOf("lark", "later")).isEqualTo("…");
    assertThat(stageOf("lark", "s3")).isEqualTo("s3");
    assertThat(stageOf("tts", "late")).isEqualTo("late");
    assertThat(series.all()).hasSize(StageSeries.STAGES + 2);
  }

  @Test
  void numberOfSeriesIsBounded() {
    for (int type = 0; type < 5_000; type++) {
      for (int stage = 0; stage < 20; stage++) {
        series.of("t" + type, "s" + stage);
      }
    }

    assertThat(series.all()).hasSizeLessThanOrEqualTo(StageSeries.PLACES + TypeSeries.MOST + 1);
    assertThat(series.all()).contains(series.of("t4999", "s0"));
    assertThat(series.of("t4999", "s0").get("type")).isEqualTo("…");
    assertThat(stageOf("t4999", "s0")).isEqualTo("…");
    assertThat(stageOf("t199", "s0")).as("its type has room, and it has none").isEqualTo("…");
  }
}
