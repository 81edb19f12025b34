package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Median;
import io.asyncflow.bench.contest.Standings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The less, the better.
 *
 * @param limits what the last contender may take
 */
public record StartMeasure(StartCost limits) implements Measure<StartCost> {

  @Override
  public String inWords(StartCost result, int lives) {
    return figures("ready after %.1f s; %.0f MiB idle, %.0f after work, %.0f at most", result);
  }

  @Override
  public String table(Standings<StartCost> standings) {
    return "| | s to ready | MiB idle | MiB after work | MiB at most |\n|---|---:|---:|---:|---:|\n"
        + standings.rows(
            StartMeasure::median,
            (name, cost) -> "| " + name + figures(" | %.1f | %.0f | %.0f | %.0f |\n", cost));
  }

  @Override
  public BarChart chart(Standings<StartCost> standings) {
    Map<String, Double> idle = new LinkedHashMap<>();
    for (Contender<StartCost> contender : standings.contest().contenders()) {
      idle.put(contender.name(), median(standings.resultsOf(contender)).idleMiB());
    }
    return BarChart.of("MiB idle", idle);
  }

  @Override
  public List<Finding> findings(Standings<StartCost> standings) {
    List<? extends Contender<StartCost>> contenders = standings.contest().contenders();
    StartCost cost = median(standings.resultsOf(contenders.get(contenders.size() - 1)));
    return List.of(
        Finding.atMost(limits.seconds(), "start: process to ready", cost.seconds(), "s"),
        Finding.atMost(limits.idleMiB(), "start: resident, idle", cost.idleMiB(), "MiB"),
        Finding.atMost(limits.afterMiB(), "start: resident, after work", cost.afterMiB(), "MiB"),
        Finding.atMost(limits.peakMiB(), "start: resident, at most", cost.peakMiB(), "MiB"));
  }

  private static String figures(String format, StartCost cost) {
    return String.format(
        Locale.ROOT, format, cost.seconds(), cost.idleMiB(), cost.afterMiB(), cost.peakMiB());
  }

  private static StartCost median(List<StartCost> costs) {
    return new StartCost(
        median(costs, StartCost::seconds),
        median(costs, StartCost::idleMiB),
        median(costs, StartCost::afterMiB),
        median(costs, StartCost::peakMiB));
  }

  private static double median(List<StartCost> costs, ToDoubleFunction<StartCost> figure) {
    return Median.of(costs.stream().map(figure::applyAsDouble).toList());
  }
}
