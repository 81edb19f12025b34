package io.asyncflow.bench.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Round;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.CallCost;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuUse;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class BesideMeasureTest {

  private static final CpuUse IDLE = new CpuUse(1, 0, true, Map.of());

  private final Contender<CallCost> nobody = new Named("nobody");
  private final Contender<CallCost> pages = new Named("pages");
  private final Contender<CallCost> bulk = new Named("a bulk");
  private final BesideMeasure measure =
      new BesideMeasure(1.1, List.of(new BesideMeasure.Limit(pages, 5)));

  @Test
  void costIsWhatThereIsMoreThanWithoutInAllRoundsTogether() {
    Standings<CallCost> standings =
        standings(
            round(cost(2, 90), cost(5, 50), cost(90, 40)), // its code is not compiled yet
            round(cost(4, 20), cost(11, 21), cost(110, 24)),
            round(cost(3, 20), cost(8, 21), cost(100, 24)));

    assertThat(measure.findings(standings))
        .containsExactly(
            new Finding(
                "pages: database, more than without",
                "≤ 5.00 statements/s",
                "5.00 statements/s",
                "met"),
            new Finding(
                "pages: hold, p99 of the median round against without",
                "≤ 1.10 ×",
                "1.05 ×",
                "met"),
            new Finding(
                "a bulk: hold, p99 of the median round against without",
                "≤ 1.10 ×",
                "1.20 ×",
                "MISSED"));
    assertThat(measure.table(standings))
        .contains("| nobody, round 2 | 4.00 | 20.0 | 20.0 | 20.0 | 1 |")
        .contains("| **pages** | 8.00 | 21.0 | 50.0 | 50.0 | 3 |");
    assertThat(measure.chart(standings).names()).containsExactly("nobody", "pages", "a bulk");
  }

  @SafeVarargs
  private final Standings<CallCost> standings(List<CallCost>... rounds) {
    List<Contender<CallCost>> contenders = List.of(nobody, pages, bulk);
    Contest<CallCost> contest = new Contest<>(Part.CONSOLE, "console", 1, contenders, measure);
    return new Standings<>(
        contest,
        List.of(rounds).stream()
            .map(
                costs ->
                    new Round<>(
                        costs.stream().map(cost -> new Lap<>("any", 1, cost, IDLE)).toList()))
            .toList(),
        0,
        false);
  }

  private static List<CallCost> round(CallCost... costs) {
    return List.of(costs);
  }

  private static CallCost cost(double statements, int millis) {
    Histogram holds = new Histogram(3);
    holds.recordValue(millis * 1000L);
    return new CallCost(statements, holds);
  }

  private record Named(String name) implements Contender<CallCost> {
    @Override
    public CallCost run(int units) {
      throw new UnsupportedOperationException();
    }
  }
}
