package io.asyncflow.bench.console;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.Latency;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The less another holds up and asks for, beside the first contender, the better.
 *
 * @param holds how many times the p99 of holds it may be
 * @param limits of statements
 */
public record BesideMeasure(double holds, List<Limit> limits) implements Measure<BesideCost> {

  /**
   * @param statementsPerSecond beyond those of the first contender that are admissible
   */
  public record Limit(Contender<BesideCost> subject, double statementsPerSecond) {}

  public BesideMeasure {
    limits = List.copyOf(limits);
  }

  @Override
  public String inWords(BesideCost result, int seconds) {
    return String.format(
        Locale.ROOT,
        "%.2f statements/s, holds %s ms",
        result.statementsPerSecond(),
        percentiles(result.holds(), "p50 %.1f, p99 %.1f"));
  }

  @Override
  public String table(Standings<BesideCost> standings) {
    StringBuilder table =
        new StringBuilder("| | statements/s | hold, ms: p50 | p99 | max | samples |\n");
    table.append("|---|---:|---:|---:|---:|---:|\n");
    for (Contender<BesideCost> contender : standings.contest().contenders()) {
      int round = 0;
      for (BesideCost cost : standings.resultsOf(contender)) {
        table.append(row(contender.name() + ", round " + ++round, cost));
      }
      table.append(row("**" + contender.name() + "**", all(standings, contender)));
    }
    return table.toString();
  }

  private static String row(String name, BesideCost cost) {
    return String.format(
        Locale.ROOT,
        "| %s | %.2f | %s | %d |%n",
        name,
        cost.statementsPerSecond(),
        percentiles(cost.holds(), "%.1f | %.1f | %.1f"),
        cost.holds().getTotalCount());
  }

  @Override
  public BarChart chart(Standings<BesideCost> standings) {
    Map<String, Double> p99 = new LinkedHashMap<>();
    for (Contender<BesideCost> contender : standings.contest().contenders()) {
      p99.put(contender.name(), Latency.percentile(all(standings, contender).holds(), 99));
    }
    return BarChart.of("ms of a hold, p99", p99);
  }

  @Override
  public List<Finding> findings(Standings<BesideCost> standings) {
    List<? extends Contender<BesideCost>> contenders = standings.contest().contenders();
    BesideCost without = all(standings, contenders.get(0));
    List<Finding> findings = new ArrayList<>();
    for (Limit limit : limits) {
      findings.add(
          Finding.atMost(
              limit.statementsPerSecond(),
              limit.subject().name() + ": database, more than without",
              all(standings, limit.subject()).statementsPerSecond() - without.statementsPerSecond(),
              "statements/s"));
    }
    for (Contender<BesideCost> contender : contenders.subList(1, contenders.size())) {
      findings.add(
          Finding.atMost(
              holds,
              contender.name() + ": hold, p99 of the median round against without",
              medianP99(standings, contender) / medianP99(standings, contenders.get(0)),
              "×"));
    }
    return findings;
  }

  /** Of all rounds together, the first ones would decide, whose code is not compiled yet. */
  private static double medianP99(
      Standings<BesideCost> standings, Contender<BesideCost> contender) {
    double[] rounds =
        standings.resultsOf(contender).stream()
            .mapToDouble(cost -> Latency.percentile(cost.holds(), 99))
            .sorted()
            .toArray();
    return (rounds[(rounds.length - 1) / 2] + rounds[rounds.length / 2]) / 2;
  }

  /** The mean of the statements, since duties that run once a minute make the rounds differ. */
  private static BesideCost all(Standings<BesideCost> standings, Contender<BesideCost> contender) {
    List<BesideCost> costs = standings.resultsOf(contender);
    Histogram holds = new Histogram(3);
    costs.forEach(cost -> holds.add(cost.holds()));
    return new BesideCost(
        costs.stream().mapToDouble(BesideCost::statementsPerSecond).average().orElseThrow(), holds);
  }

  private static String percentiles(Histogram holds, String format) {
    return String.format(
        Locale.ROOT,
        format,
        Latency.percentile(holds, 50),
        Latency.percentile(holds, 99),
        Latency.percentile(holds, 100));
  }
}
