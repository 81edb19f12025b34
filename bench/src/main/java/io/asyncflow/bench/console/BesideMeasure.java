package io.asyncflow.bench.console;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Median;
import io.asyncflow.bench.contest.Standings;
import io.asyncflow.bench.measure.CallCost;
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
public record BesideMeasure(double holds, List<Limit> limits) implements Measure<CallCost> {

  /**
   * @param statementsPerSecond beyond those of the first contender that are admissible
   */
  public record Limit(Contender<CallCost> subject, double statementsPerSecond) {}

  public BesideMeasure {
    limits = List.copyOf(limits);
  }

  @Override
  public String inWords(CallCost result, int seconds) {
    return String.format(
        Locale.ROOT,
        "%.2f statements/s, holds %s ms",
        result.statementsPerSecond(),
        percentiles(result.calls(), "p50 %.1f, p99 %.1f"));
  }

  @Override
  public String table(Standings<CallCost> standings) {
    return "| | statements/s | hold, ms: p50 | p99 | max | samples |\n"
        + "|---|---:|---:|---:|---:|---:|\n"
        + standings.rows(CallCost::together, BesideMeasure::row);
  }

  private static String row(String name, CallCost cost) {
    return String.format(
        Locale.ROOT,
        "| %s | %.2f | %s | %d |%n",
        name,
        cost.statementsPerSecond(),
        percentiles(cost.calls(), "%.1f | %.1f | %.1f"),
        cost.calls().getTotalCount());
  }

  @Override
  public BarChart chart(Standings<CallCost> standings) {
    Map<String, Double> p99 = new LinkedHashMap<>();
    for (Contender<CallCost> contender : standings.contest().contenders()) {
      p99.put(contender.name(), Latency.percentile(all(standings, contender).calls(), 99));
    }
    return BarChart.of("ms of a hold, p99", p99);
  }

  @Override
  public List<Finding> findings(Standings<CallCost> standings) {
    List<? extends Contender<CallCost>> contenders = standings.contest().contenders();
    CallCost without = all(standings, contenders.get(0));
    List<Finding> findings = new ArrayList<>();
    for (Limit limit : limits) {
      findings.add(
          Finding.atMost(
              limit.statementsPerSecond(),
              limit.subject().name() + ": database, more than without",
              all(standings, limit.subject()).statementsPerSecond() - without.statementsPerSecond(),
              "statements/s"));
    }
    for (Contender<CallCost> contender : contenders.subList(1, contenders.size())) {
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
  private static double medianP99(Standings<CallCost> standings, Contender<CallCost> contender) {
    return Median.of(
        standings.resultsOf(contender).stream()
            .map(cost -> Latency.percentile(cost.calls(), 99))
            .toList());
  }

  private static CallCost all(Standings<CallCost> standings, Contender<CallCost> contender) {
    return CallCost.together(standings.resultsOf(contender));
  }

  private static String percentiles(Histogram holds, String format) {
    return Latency.format(format, holds, 50, 99, 100);
  }
}
