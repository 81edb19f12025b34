package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The sooner, the better: histograms of nanoseconds, in microseconds, of one contender.
 *
 * @param what takes its time, as {@code check of a token}
 * @param p99 microseconds that are admissible
 */
public record ShortTime(String what, double p99) implements Measure<Histogram> {

  @Override
  public String inWords(Histogram result, int units) {
    return figures("p50 %.2f, p99 %.2f, max %.2f µs", result);
  }

  @Override
  public String table(Standings<Histogram> standings) {
    StringBuilder table = new StringBuilder("| µs | p50 | p99 | max | samples |\n");
    table.append("|---|---:|---:|---:|---:|\n");
    int round = 0;
    for (Histogram result : standings.results()) {
      table.append(row("round " + ++round, result));
    }
    return table.append(row("**all**", all(standings))).toString();
  }

  private static String row(String name, Histogram result) {
    return "| "
        + name
        + figures(" | %.2f | %.2f | %.2f | ", result)
        + result.getTotalCount()
        + " |\n";
  }

  @Override
  public BarChart chart(Standings<Histogram> standings) {
    Histogram all = all(standings);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("p50", Latency.percentile(all, 50));
    figures.put("p99", Latency.percentile(all, 99));
    return BarChart.of("µs", figures);
  }

  @Override
  public List<Finding> findings(Standings<Histogram> standings) {
    Histogram all = all(standings);
    String subject = what + ": " + standings.contest().contenders().get(0).name();
    return List.of(
        Finding.of(subject + ", p50 / p99 / max", figures("%.2f / %.2f / %.2f µs", all)),
        Finding.atMost(p99, subject + ", p99", Latency.percentile(all, 99), "µs"));
  }

  private static Histogram all(Standings<Histogram> standings) {
    return Latency.together(standings.results());
  }

  private static String figures(String format, Histogram times) {
    return Latency.format(format, times, 50, 99, 100);
  }
}
