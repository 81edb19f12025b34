package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
    for (Histogram result : resultsOf(standings)) {
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
    figures.put("p50", micros(all, 50));
    figures.put("p99", micros(all, 99));
    return BarChart.of("µs", figures);
  }

  @Override
  public List<Finding> findings(Standings<Histogram> standings) {
    Histogram all = all(standings);
    String subject = what + ": " + contender(standings).name();
    return List.of(
        Finding.of(subject + ", p50 / p99 / max", figures("%.2f / %.2f / %.2f µs", all)),
        Finding.atMost(p99, subject + ", p99", micros(all, 99), "µs"));
  }

  private static Contender<Histogram> contender(Standings<Histogram> standings) {
    return standings.contest().contenders().get(0);
  }

  private static List<Histogram> resultsOf(Standings<Histogram> standings) {
    return standings.resultsOf(contender(standings));
  }

  private static Histogram all(Standings<Histogram> standings) {
    Histogram all = new Histogram(3);
    resultsOf(standings).forEach(all::add);
    return all;
  }

  private static String figures(String format, Histogram times) {
    return String.format(
        Locale.ROOT, format, micros(times, 50), micros(times, 99), micros(times, 100));
  }

  private static double micros(Histogram times, double percentile) {
    return times.getValueAtPercentile(percentile) / 1000.0;
  }
}
