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
import org.junit.jupiter.api.Test;

class StartMeasureTest {

  private static final CpuUse QUIET = new CpuUse(1, 0, true, Map.of());

  @Test
  void limitsAreThoseOfTheLastContender() {
    StartMeasure measure = new StartMeasure(new StartCost(6, 350, 500, 600));
    Contest<StartCost> contest =
        new Contest<>(
            Part.START, "start", 1, List.of(new Named("before"), new Named("now")), measure);
    Standings<StartCost> standings =
        new Standings<>(
            contest,
            List.of(
                round(new StartCost(15, 450, 1000, 1100), new StartCost(5, 300, 390, 400)),
                round(new StartCost(13, 470, 1100, 1300), new StartCost(6, 320, 410, 900))),
            0,
            false);

    assertThat(measure.findings(standings))
        .containsExactly(
            new Finding("start: process to ready", "≤ 6.00 s", "5.50 s", "met"),
            new Finding("start: resident, idle", "≤ 350.00 MiB", "310.00 MiB", "met"),
            new Finding("start: resident, after work", "≤ 500.00 MiB", "400.00 MiB", "met"),
            new Finding("start: resident, at most", "≤ 600.00 MiB", "650.00 MiB", "MISSED"));
    assertThat(measure.table(standings))
        .contains("| before, round 1 | 15.0 | 450 | 1000 | 1100 |\n")
        .endsWith("| **now** | 5.5 | 310 | 400 | 650 |\n");
  }

  private static Round<StartCost> round(StartCost before, StartCost now) {
    return new Round<>(
        List.of(new Lap<>("before", 1, before, QUIET), new Lap<>("now", 1, now, QUIET)));
  }

  private record Named(String name) implements Contender<StartCost> {
    @Override
    public StartCost run(int units) {
      throw new UnsupportedOperationException();
    }
  }
}
