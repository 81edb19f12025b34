package io.asyncflow.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Round;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.flow.TokenChecks;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuUse;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ShortTimeTest {

  private static final CpuUse QUIET = new CpuUse(1, 0, true, Map.of());

  private final ShortTime measure = new ShortTime("check of a token", 50);

  @Test
  void nanosecondsAreShownAsMicroseconds() {
    TokenChecks checks = new TokenChecks(3);
    Contest<Histogram> contest = new Contest<>(Part.ACCESS, "checks", 1, List.of(checks), measure);
    List<Round<Histogram>> rounds =
        List.of(
            new Round<>(List.of(new Lap<>("3 keys", 1, times(1_000, 2_000), QUIET))),
            new Round<>(List.of(new Lap<>("3 keys", 1, times(3_000, 60_000), QUIET))));
    Standings<Histogram> standings = new Standings<>(contest, rounds, 0, false);

    assertThat(measure.inWords(times(1_000), 1)).isEqualTo("p50 1.00, p99 1.00, max 1.00 µs");
    assertThat(measure.table(standings))
        .contains("| round 1 | 1.00 | 2.00 | 2.00 | 2 |")
        .contains("| **all** | 2.00 | 60.03 | 60.03 | 4 |");
    assertThat(measure.findings(standings))
        .containsExactly(
            Finding.of("check of a token: 3 keys, p50 / p99 / max", "2.00 / 60.03 / 60.03 µs"),
            Finding.atMost(50, "check of a token: 3 keys, p99", 60.031, "µs"));
    assertThat(measure.chart(standings).names()).containsExactly("p50", "p99");
  }

  private static Histogram times(int... nanos) {
    Histogram times = new Histogram(3);
    for (int each : nanos) {
      times.recordValue(each);
    }
    return times;
  }

  @Test
  void everyCheckIsMeasured() {
    assertThat(new TokenChecks(3).run(10).getTotalCount()).isEqualTo(10);
  }
}
