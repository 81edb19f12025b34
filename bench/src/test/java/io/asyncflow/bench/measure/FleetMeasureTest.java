package io.asyncflow.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Round;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.FleetCost.Load;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.resource.CpuUse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetMeasureTest {

  private static final Load WITHOUT = new Load(5, 2, 0, 0.02, 0.01);
  private static final CpuUse QUIET = new CpuUse(1, 0, true, Map.of());

  private final FleetMeasure measure = new FleetMeasure(10, 30, 100);

  @Test
  void statementsAndRowsAreThoseOfTheWorkersAlone() {
    Standings<FleetCost> standings =
        standings(
            new FleetCost(WITHOUT, new Load(15, 902, 1300, 0.25, 0.06), 95),
            new FleetCost(WITHOUT, new Load(25, 1002, 1300, 0.35, 0.08), 97));

    assertThat(measure.findings(standings))
        .containsExactly(
            Finding.of("fleet: rows that the database writes for them", "950/s"),
            Finding.of("fleet: CPU, database", "7.00 % of a core"),
            new Finding(
                "fleet: database",
                "≤ 10.00 statements/s more than without them",
                "15.00 statements/s more than without them",
                "MISSED"),
            new Finding(
                "fleet: CPU, servers together", "≤ 30.00 % of a core", "30.00 % of a core", "met"),
            new Finding(
                "fleet: live heap of a server for each of its workers",
                "≤ 100.00 KiB",
                "96.00 KiB",
                "met"));
    assertThat(measure.table(standings))
        .contains("| without workers | 0 | 5.0 | 2 | 2.0 | 1.0 |  |")
        .endsWith("| round 2 | 1300 | 25.0 | 1002 | 35.0 | 8.0 | 97.0 |\n");
    assertThat(measure.chart(standings).names())
        .containsExactly(
            "servers without workers", "servers", "database without workers", "database");
  }

  private Standings<FleetCost> standings(FleetCost... costs) {
    Contest<FleetCost> contest =
        new Contest<>(Part.WORKERS, "workers", 1, List.of(new Named()), measure);
    List<Round<FleetCost>> rounds =
        List.of(costs).stream()
            .map(cost -> new Round<>(List.of(new Lap<>("fleet", 1, cost, QUIET))))
            .toList();
    return new Standings<>(contest, rounds, 0, false);
  }

  private static final class Named implements Contender<FleetCost> {
    @Override
    public String name() {
      return "fleet";
    }

    @Override
    public FleetCost run(int units) {
      throw new UnsupportedOperationException();
    }
  }
}
