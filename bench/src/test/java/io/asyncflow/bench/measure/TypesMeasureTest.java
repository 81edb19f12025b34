package io.asyncflow.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Round;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuUse;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TypesMeasureTest {

  private static final CpuUse QUIET = new CpuUse(1, 0, true, Map.of());

  private final TypesMeasure measure = new TypesMeasure(25, 100);

  @Test
  void statementsAreAveragedAndStartsAreOneDistribution() {
    Standings<CallCost> standings =
        standings(new CallCost(20, starts(10, 20)), new CallCost(40, starts(30, 400)));

    assertThat(measure.findings(standings))
        .containsExactly(
            Finding.of(
                "200 types: create on one, start on the other, p50 / p90 / max",
                "20.0 / 400.1 / 400.1 ms"),
            new Finding(
                "200 types: database", "≤ 25.00 statements/s", "30.00 statements/s", "MISSED"),
            new Finding(
                "200 types: create on one, start on the other, p50",
                "≤ 100.00 ms",
                "20.02 ms",
                "met"));
    assertThat(measure.table(standings))
        .contains("| round 1 | 20.0 | 10.0 | 20.0 | 20.0 | 2 |")
        .endsWith("| **all** | 30.0 | 20.0 | 400.1 | 400.1 | 4 |\n");
    assertThat(measure.chart(standings).names()).containsExactly("p50", "p90", "max");
  }

  private Standings<CallCost> standings(CallCost... costs) {
    Contest<CallCost> contest =
        new Contest<>(Part.TYPES, "types", 1, List.of(named("200 types")), measure);
    List<Round<CallCost>> rounds =
        List.of(costs).stream()
            .map(cost -> new Round<>(List.of(new Lap<>("200 types", 1, cost, QUIET))))
            .toList();
    return new Standings<>(contest, rounds, 0, false);
  }

  private static Histogram starts(int... millis) {
    Histogram starts = new Histogram(3);
    for (int each : millis) {
      starts.recordValue(each * 1000L);
    }
    return starts;
  }

  private static Contender<CallCost> named(String name) {
    return new Contender<>() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public CallCost run(int units) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
