package io.asyncflow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** The sooner, the better: histograms of microseconds. */
record Latency() implements Measure<Histogram> {

  @Override
  public String inWords(Histogram result, int units) {
    return String.format(
        Locale.ROOT,
        "p50 %.1f, p99 %.1f, max %.1f ms",
        percentile(result, 50),
        percentile(result, 99),
        percentile(result, 100));
  }

  @Override
  public String table(Standings<Histogram> standings) {
    StringBuilder table = new StringBuilder("| ms | p50 | p90 | p99 | max | samples |\n");
    table.append("|---|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < standings.contest().contenders().size(); i++) {
      String name = standings.contest().contenders().get(i).name();
      int round = 0;
      for (Histogram result : standings.resultsOf(i)) {
        table.append(row(name + ", round " + ++round, result));
      }
      table.append(row(name + ", all", all(standings, i)));
    }
    return table.toString();
  }

  @Override
  public List<Finding> findings(Standings<Histogram> standings) {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < standings.contest().contenders().size(); i++) {
      Histogram all = all(standings, i);
      findings.add(
          new Finding(
              standings.contest().contenders().get(i).name() + ", p50 / p99 / max",
              String.format(
                  Locale.ROOT,
                  "%.1f / %.1f / %.1f ms",
                  percentile(all, 50),
                  percentile(all, 99),
                  percentile(all, 100))));
    }
    return findings;
  }

  private static String row(String name, Histogram latencies) {
    return String.format(
        Locale.ROOT,
        "| %s | %.1f | %.1f | %.1f | %.1f | %d |%n",
        name,
        percentile(latencies, 50),
        percentile(latencies, 90),
        percentile(latencies, 99),
        percentile(latencies, 100),
        latencies.getTotalCount());
  }

  private static Histogram all(Standings<Histogram> standings, int contender) {
    Histogram all = new Histogram(3);
    standings.resultsOf(contender).forEach(all::add);
    return all;
  }

  private static double percentile(Histogram latencies, double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }
}
