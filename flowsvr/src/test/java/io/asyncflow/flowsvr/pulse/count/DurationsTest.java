package io.asyncflow.flowsvr.pulse.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.pulse.count.Durations.ByObjective;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** One count of a duration tells both histograms, as if it had been counted in each. */
class DurationsTest {

  private final Durations durations = new Durations();

  private static int objectiveOf(long ms) {
    int i = 0;
    while (i < Objectives.MS.length && ms > Objectives.MS[i]) {
      i++;
    }
    return i;
  }

  @Test
  void everyDurationIsInItsBucketAndMeetsItsObjective() {
    LongStream around =
        LongStream.of(Objectives.MS).flatMap(bound -> LongStream.rangeClosed(bound - 2, bound + 2));
    LongStream random = new SplittableRandom(7).longs(20_000, 0, 200_000_000);
    LongStream small = LongStream.rangeClosed(-1, 5_000);
    LongStream.concat(LongStream.concat(around, random), small)
        .forEach(
            ms -> {
              int cell = Cells.of(ms);
              assertThat(Cells.bucketOf(cell)).as("%d ms", ms).isEqualTo(Histogram.bucketOf(ms));
              assertThat(Cells.objectiveOf(cell)).as("%d ms", ms).isEqualTo(objectiveOf(ms));
            });
    assertThat(Cells.objectiveOf(Cells.of(Long.MAX_VALUE))).isEqualTo(Objectives.MS.length);
    assertThat(Cells.NUMBER).isEqualTo(Histogram.BUCKETS + Objectives.MS.length);
  }

  @Test
  void boundsAreRoundAndEndWithInfinity() {
    assertThat(Objectives.seconds())
        .contains(0.01, 1.0, 60.0, 3_600.0, 86_400.0)
        .isSorted()
        .endsWith(Double.POSITIVE_INFINITY);
  }

  @Test
  void whatWasTakenIsNoNewsAndWhatWasSeenStillIs() {
    ByObjective seen = new ByObjective();
    List.of(5L, 1_000L, 1_001L).forEach(durations::add);
    seen.add(durations.news(false));
    assertThat(LongStream.of(seen.counts()).sum()).isEqualTo(3);
    assertThat(seen.sumSeconds()).isEqualTo(2.006);

    ByObjective taken = new ByObjective();
    taken.add(durations.news(true));
    durations.add(-3);
    taken.add(durations.news(true));
    taken.add(durations.news(true));
    assertThat(LongStream.of(taken.counts()).sum()).isEqualTo(4);
    assertThat(taken.sumSeconds()).isEqualTo(2.006);
    assertThat(taken.counts()[objectiveOf(1_000)]).isEqualTo(1);
    assertThat(taken.counts()[objectiveOf(1_001)]).isEqualTo(1);
  }
}
