package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The less, the better, and the sooner.
 *
 * @param statementsPerSecond that are admissible
 * @param medianMillis from create to start that is admissible
 */
public record TypesMeasure(double statementsPerSecond, double medianMillis)
    implements Measure<CallCost> {

  @Override
  public String inWords(CallCost result, int seconds) {
    return String.format(
        Locale.ROOT,
        "%.1f statements/s, %s ms",
        result.statementsPerSecond(),
        percentiles(result.calls(), "p50 %.1f, p90 %.1f, max %.1f"));
  }

  @Override
  public String table(Standings<CallCost> standings) {
    StringBuilder table =
        new StringBuilder("| | statements/s | create to start, ms: p50 | p90 | max | samples |\n");
    table.append("|---|---:|---:|---:|---:|---:|\n");
    int round = 0;
    for (CallCost cost : standings.results()) {
      table.append(row("round " + ++round, cost));
    }
    return table.append(row("**all**", all(standings))).toString();
  }

  @Override
  public BarChart chart(Standings<CallCost> standings) {
    Histogram starts = all(standings).calls();
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("p50", Latency.percentile(starts, 50));
    figures.put("p90", Latency.percentile(starts, 90));
    figures.put("max", Latency.percentile(starts, 100));
    return BarChart.of("ms from create to start", figures);
  }

  @Override
  public List<Finding> findings(Standings<CallCost> standings) {
    CallCost all = all(standings);
    String name = standings.contest().contenders().get(0).name();
    String start = name + ": create on one, start on the other, ";
    return List.of(
        Finding.of(start + "p50 / p90 / max", percentiles(all.calls(), "%.1f / %.1f / %.1f ms")),
        Finding.atMost(
            statementsPerSecond, name + ": database", all.statementsPerSecond(), "statements/s"),
        Finding.atMost(medianMillis, start + "p50", Latency.percentile(all.calls(), 50), "ms"));
  }

  private static String row(String name, CallCost cost) {
    return String.format(
        Locale.ROOT,
        "| %s | %.1f | %s | %d |%n",
        name,
        cost.statementsPerSecond(),
        percentiles(cost.calls(), "%.1f | %.1f | %.1f"),
        cost.calls().getTotalCount());
  }

  private static String percentiles(Histogram starts, String format) {
    return Latency.format(format, starts, 50, 90, 100);
  }

  private static CallCost all(Standings<CallCost> standings) {
    return CallCost.together(standings.results());
  }
}
