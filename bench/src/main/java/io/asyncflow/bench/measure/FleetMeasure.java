package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Median;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.FleetCost.Load;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The less, the better.
 *
 * @param statementsPerSecond that are admissible beside those without workers
 * @param percentOfCore that the servers together may use
 * @param kibEach that a worker may take of the heap of its server
 */
public record FleetMeasure(double statementsPerSecond, double percentOfCore, double kibEach)
    implements Measure<FleetCost> {

  @Override
  public String inWords(FleetCost result, int seconds) {
    return String.format(
        Locale.ROOT,
        "%.1f statements/s (%.1f without), servers %.1f %% of a core, %.0f KiB a worker",
        result.with().statements(),
        result.without().statements(),
        100 * result.with().servers(),
        result.kibEach());
  }

  @Override
  public String table(Standings<FleetCost> standings) {
    StringBuilder table =
        new StringBuilder(
            "| | calls/s | statements/s | rows written/s | servers, % of a core | database, % of a"
                + " core | KiB a worker |\n");
    table.append("|---|---:|---:|---:|---:|---:|---:|\n");
    table.append(row("without workers", standings.results().get(0).without(), ""));
    int round = 0;
    for (FleetCost cost : standings.results()) {
      String kib = String.format(Locale.ROOT, "%.1f", cost.kibEach());
      table.append(row("round " + ++round, cost.with(), kib));
    }
    return table.toString();
  }

  private static String row(String name, Load load, String kib) {
    return String.format(
        Locale.ROOT,
        "| %s | %.0f | %.1f | %.0f | %.1f | %.1f | %s |%n",
        name,
        load.calls(),
        load.statements(),
        load.rows(),
        100 * load.servers(),
        100 * load.database(),
        kib);
  }

  @Override
  public BarChart chart(Standings<FleetCost> standings) {
    Load without = standings.results().get(0).without();
    Map<String, Double> cores = new LinkedHashMap<>();
    cores.put("servers without workers", 100 * without.servers());
    cores.put("servers", 100 * median(standings, cost -> cost.with().servers()));
    cores.put("database without workers", 100 * without.database());
    cores.put("database", 100 * median(standings, cost -> cost.with().database()));
    return BarChart.of("% of a core", cores);
  }

  @Override
  public List<Finding> findings(Standings<FleetCost> standings) {
    String name = standings.contest().contenders().get(0).name();
    // What runs once a minute makes the rounds differ; all together are one.
    double statements =
        standings.results().stream()
            .mapToDouble(cost -> cost.with().statements() - cost.without().statements())
            .average()
            .orElseThrow();
    return List.of(
        Finding.of(
            name + ": rows that the database writes for them",
            String.format(
                Locale.ROOT,
                "%.0f/s",
                median(standings, cost -> cost.with().rows() - cost.without().rows()))),
        Finding.of(
            name + ": CPU, database",
            String.format(
                Locale.ROOT,
                "%.2f %% of a core",
                100 * median(standings, cost -> cost.with().database()))),
        Finding.atMost(
            statementsPerSecond,
            name + ": database",
            statements,
            "statements/s more than without them"),
        Finding.atMost(
            percentOfCore,
            name + ": CPU, servers together",
            100 * median(standings, cost -> cost.with().servers()),
            "% of a core"),
        Finding.atMost(
            kibEach,
            name + ": live heap of a server for each of its workers",
            median(standings, FleetCost::kibEach),
            "KiB"));
  }

  private static double median(Standings<FleetCost> standings, ToDoubleFunction<FleetCost> figure) {
    return Median.of(standings.results().stream().map(figure::applyAsDouble).toList());
  }
}
