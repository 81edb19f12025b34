package io.asyncflow.bench.console;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WeightTest {

  private static final CpuUse IDLE = new CpuUse(1, 0, true, Map.of());

  private final Weight weight = new Weight(20);

  @Test
  void heaviestPageOfAllRoundsIsJudged() {
    Standings<Map<String, Integer>> standings =
        standings(
            Map.of("/console", 3 * 1024, "/console/workers", 22 * 1024),
            Map.of("/console", 4 * 1024, "/console/workers", 21 * 1024));

    assertThat(weight.findings(standings))
        .containsExactly(
            new Finding(
                "HTML gz: the heaviest page, /console/workers",
                "≤ 20.00 KB",
                "22.00 KB",
                "MISSED"));
    assertThat(weight.table(standings)).contains("| /console | 4.0 |");
  }

  @SafeVarargs
  private final Standings<Map<String, Integer>> standings(Map<String, Integer>... rounds) {
    Contest<Map<String, Integer>> contest =
        new Contest<>(Part.CONSOLE, "console", 1, List.of(new Pages()), weight);
    return new Standings<>(
        contest,
        Stream.of(rounds).map(r -> new Round<>(List.of(new Lap<>("pages", 1, r, IDLE)))).toList(),
        0,
        false);
  }

  private static final class Pages implements Contender<Map<String, Integer>> {
    @Override
    public String name() {
      return "pages";
    }

    @Override
    public Map<String, Integer> run(int units) {
      throw new UnsupportedOperationException();
    }
  }
}
