package io.asyncflow.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The more in a second, the better.
 *
 * @param unit what is counted, in the plural
 */
record PerSecond(String unit) implements Measure<Duration> {

  @Override
  public String inWords(Duration result, int units) {
    return format(rate(result, units)) + " " + unit + "/s";
  }

  @Override
  public String table(Standings<Duration> standings) {
    StringBuilder table = new StringBuilder("| " + unit + "/s | each round | median | ratio |\n");
    table.append("|---|---|---:|---:|\n");
    double yardstick = median(standings, 0);
    for (int i = 0; i < standings.contest().contenders().size(); i++) {
      String each =
          rates(standings, i).stream().map(PerSecond::format).collect(Collectors.joining(", "));
      double median = median(standings, i);
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %.2f |%n",
              standings.contest().contenders().get(i).name(),
              each,
              format(median),
              median / yardstick));
    }
    return table.toString();
  }

  @Override
  public List<Finding> findings(Standings<Duration> standings) {
    List<Finding> findings = new ArrayList<>();
    List<? extends Contender<Duration>> contenders = standings.contest().contenders();
    for (int i = 1; i < contenders.size(); i++) {
      findings.add(
          new Finding(
              unit + "/s: " + contenders.get(i).name() + " against " + contenders.get(0).name(),
              String.format(Locale.ROOT, "%.2f ×", median(standings, i) / median(standings, 0))));
    }
    return findings;
  }

  private static double median(Standings<Duration> standings, int contender) {
    return Median.of(rates(standings, contender));
  }

  private static List<Double> rates(Standings<Duration> standings, int contender) {
    int units = standings.contest().units();
    return standings.resultsOf(contender).stream().map(result -> rate(result, units)).toList();
  }

  private static double rate(Duration result, int units) {
    return units / (result.toNanos() / 1e9);
  }

  private static String format(double rate) {
    return String.format(Locale.ROOT, "%,.0f", rate);
  }
}
