package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Median;
import io.asyncflow.bench.contest.Standings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The more in a second, the better.
 *
 * @param unit what is counted, in the plural
 * @param comparisons who is judged by whom
 * @param records rates that were measured elsewhere, and are no part of this run
 */
public record PerSecond(String unit, List<Comparison> comparisons, List<Record> records)
    implements Measure<Duration> {

  /**
   * A rate that somebody once reached.
   *
   * @param subject who is judged by it
   * @param holder who reached it, and where
   * @param wanted how many times as fast the subject should be
   */
  public record Record(Contender<?> subject, String holder, double rate, double wanted) {}

  public PerSecond {
    comparisons = List.copyOf(comparisons);
    records = List.copyOf(records);
  }

  public PerSecond(String unit, List<Comparison> comparisons) {
    this(unit, comparisons, List.of());
  }

  @Override
  public String inWords(Duration result, int units) {
    return format(rate(result, units)) + " " + unit + "/s";
  }

  @Override
  public String table(Standings<Duration> standings) {
    StringBuilder table =
        new StringBuilder(
            "| " + unit + "/s | each round | median | ratio | " + unit + " a run |\n");
    table.append("|---|---|---:|---:|---:|\n");
    List<? extends Contender<Duration>> contenders = standings.contest().contenders();
    double yardstick = median(standings, contenders.get(0));
    for (Contender<Duration> contender : contenders) {
      String each =
          rates(standings, contender).stream()
              .map(PerSecond::format)
              .collect(Collectors.joining(", "));
      double median = median(standings, contender);
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %.2f | %,d |%n",
              contender.name(),
              each,
              format(median),
              median / yardstick,
              standings.lapsOf(contender).get(0).units()));
    }
    return table.toString();
  }

  @Override
  public BarChart chart(Standings<Duration> standings) {
    Map<String, Double> medians = new LinkedHashMap<>();
    standings
        .contest()
        .contenders()
        .forEach(contender -> medians.put(contender.name(), median(standings, contender)));
    return BarChart.of(unit + "/s, median", medians);
  }

  @Override
  public List<Finding> findings(Standings<Duration> standings) {
    List<Finding> findings = new ArrayList<>();
    for (Comparison each : comparisons) {
      findings.add(
          Finding.atLeast(
              each.wanted(),
              unit + "/s: " + each.subject().name() + " against " + each.yardstick().name(),
              median(standings, each.subject()) / median(standings, each.yardstick()),
              "×"));
    }
    for (Record each : records) {
      findings.add(
          Finding.atLeast(
              each.wanted(),
              unit + "/s: " + each.subject().name() + " against " + each.holder(),
              median(standings, each.subject()) / each.rate(),
              "×"));
    }
    return findings;
  }

  private static double median(Standings<Duration> standings, Contender<?> contender) {
    return Median.of(rates(standings, contender));
  }

  private static List<Double> rates(Standings<Duration> standings, Contender<?> contender) {
    return standings.lapsOf(contender).stream()
        .map(lap -> rate(lap.result(), lap.units()))
        .toList();
  }

  private static double rate(Duration result, int units) {
    return units / (result.toNanos() / 1e9);
  }

  private static String format(double rate) {
    return String.format(Locale.ROOT, "%,.0f", rate);
  }
}
