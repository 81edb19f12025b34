package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Median;
import io.asyncflow.bench.contest.Standings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The less, the better.
 *
 * @param statementsPerSecond that are admissible
 * @param percentOfCore that all processes together may use
 */
public record IdleMeasure(double statementsPerSecond, double percentOfCore)
    implements Measure<IdleCost> {

  @Override
  public String inWords(IdleCost result, int seconds) {
    return String.format(
        Locale.ROOT,
        "%.2f statements/s, %.1f %% of a core",
        result.statementsPerSecond(),
        100 * result.allCores());
  }

  @Override
  public String table(Standings<IdleCost> standings) {
    StringBuilder table = new StringBuilder("| round | statements/s |");
    Set<String> processes = standings.results().get(0).cores().keySet();
    processes.forEach(process -> table.append(" ").append(process).append(", % of a core |"));
    table.append("\n|---|---:|").append("---:|".repeat(processes.size())).append("\n");
    int round = 0;
    for (IdleCost cost : standings.results()) {
      table.append(
          String.format(Locale.ROOT, "| %d | %.2f |", ++round, cost.statementsPerSecond()));
      cost.cores()
          .values()
          .forEach(cores -> table.append(String.format(Locale.ROOT, " %.1f |", 100 * cores)));
      table.append("\n");
    }
    return table.toString();
  }

  @Override
  public BarChart chart(Standings<IdleCost> standings) {
    List<IdleCost> costs = standings.results();
    Map<String, Double> medians = new LinkedHashMap<>();
    for (String process : costs.get(0).cores().keySet()) {
      medians.put(
          process, Median.of(costs.stream().map(cost -> 100 * cost.cores().get(process)).toList()));
    }
    return BarChart.of("% of a core", medians);
  }

  @Override
  public List<Finding> findings(Standings<IdleCost> standings) {
    List<IdleCost> costs = standings.results();
    String name = standings.contest().contenders().get(0).name();
    return List.of(
        Finding.atMost(
            statementsPerSecond,
            name + ": database",
            // Cleaning once a minute makes rounds of twenty seconds differ; all together are one.
            costs.stream().mapToDouble(IdleCost::statementsPerSecond).average().orElseThrow(),
            "statements/s"),
        Finding.atMost(
            percentOfCore,
            name + ": CPU, all processes",
            Median.of(costs.stream().map(cost -> 100 * cost.allCores()).toList()),
            "% of a core"));
  }
}
