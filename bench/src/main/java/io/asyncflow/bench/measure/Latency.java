package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/**
 * The sooner, the better: histograms of microseconds.
 *
 * @param what takes its time, as {@code create to start}
 * @param limits what is aimed at
 */
public record Latency(String what, List<Limit> limits) implements Measure<Histogram> {

  /**
   * A percentile that should not exceed something.
   *
   * @param percentile of all rounds together, as 99
   * @param wanted milliseconds; with a yardstick, how many times its percentile
   * @param yardstick {@code null} if the limit is a time
   */
  public record Limit(
      Contender<?> subject, double percentile, double wanted, Contender<?> yardstick) {

    public static Limit millis(Contender<?> subject, double percentile, double wanted) {
      return new Limit(subject, percentile, wanted, null);
    }

    public static Limit times(
        Contender<?> subject, double percentile, double wanted, Contender<?> yardstick) {
      return new Limit(subject, percentile, wanted, yardstick);
    }
  }

  public Latency {
    limits = List.copyOf(limits);
  }

  @Override
  public String inWords(Histogram result, int units) {
    return format("p50 %.1f, p99 %.1f, max %.1f ms", result, 50, 99, 100);
  }

  @Override
  public String table(Standings<Histogram> standings) {
    return "| ms | p50 | p90 | p95 | p99 | max | samples |\n"
        + "|---|---:|---:|---:|---:|---:|---:|\n"
        + standings.rows(Latency::together, Latency::row);
  }

  @Override
  public BarChart chart(Standings<Histogram> standings) {
    List<String> names = new ArrayList<>();
    Map<String, List<Double>> series = new LinkedHashMap<>();
    for (double percentile : List.of(50.0, 95.0, 99.0)) {
      series.put(inWords(percentile), new ArrayList<>());
    }
    for (Contender<Histogram> contender : standings.contest().contenders()) {
      names.add(contender.name());
      Histogram all = all(standings, contender);
      for (double percentile : List.of(50.0, 95.0, 99.0)) {
        series.get(inWords(percentile)).add(percentile(all, percentile));
      }
    }
    return new BarChart("ms", names, series);
  }

  @Override
  public List<Finding> findings(Standings<Histogram> standings) {
    List<Finding> findings = new ArrayList<>();
    for (Contender<Histogram> contender : standings.contest().contenders()) {
      Histogram all = all(standings, contender);
      findings.add(
          Finding.of(
              what + ": " + contender.name() + ", p50 / p99 / max",
              format("%.1f / %.1f / %.1f ms", all, 50, 99, 100)));
    }
    limits.forEach(limit -> findings.add(judge(limit, standings)));
    return findings;
  }

  private Finding judge(Limit limit, Standings<Histogram> standings) {
    String percentile = ", " + inWords(limit.percentile());
    String subject = what + ": " + limit.subject().name() + percentile;
    double millis = percentile(all(standings, limit.subject()), limit.percentile());
    if (limit.yardstick() == null) {
      return Finding.atMost(limit.wanted(), subject, millis, "ms");
    }
    double yardstick = percentile(all(standings, limit.yardstick()), limit.percentile());
    return Finding.atMost(
        limit.wanted(), subject + " against " + limit.yardstick().name(), millis / yardstick, "×");
  }

  private static String row(String name, Histogram latencies) {
    String figures = format("%.1f | %.1f | %.1f | %.1f | %.1f", latencies, 50, 90, 95, 99, 100);
    return "| " + name + " | " + figures + " | " + latencies.getTotalCount() + " |\n";
  }

  private static Histogram all(Standings<Histogram> standings, Contender<?> contender) {
    return together(standings.resultsOf(contender));
  }

  /** The times of several runs as one distribution. */
  public static Histogram together(Iterable<Histogram> runs) {
    Histogram all = new Histogram(3);
    runs.forEach(all::add);
    return all;
  }

  private static String inWords(double percentile) {
    return String.format(Locale.ROOT, "p%.0f", percentile);
  }

  /** Some of its percentiles, in the order of the format. */
  public static String format(String format, Histogram latencies, double... percentiles) {
    Object[] figures =
        DoubleStream.of(percentiles).mapToObj(each -> percentile(latencies, each)).toArray();
    return String.format(Locale.ROOT, format, figures);
  }

  /** In milliseconds, of a histogram of microseconds; in microseconds, of one of nanoseconds. */
  public static double percentile(Histogram latencies, double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }
}
