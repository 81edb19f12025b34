package io.asyncflow.bench.console;

import io.asyncflow.bench.contest.BarChart;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Measure;
import io.asyncflow.bench.contest.Standings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The lighter, the better: bytes of each page, of one contender; of several rounds the largest.
 *
 * @param kilobytes that the heaviest page may have
 */
public record Weight(double kilobytes) implements Measure<Map<String, Integer>> {

  private static final double BYTES = 1_024;

  @Override
  public String inWords(Map<String, Integer> result, int once) {
    Map.Entry<String, Double> heaviest = heaviest(kilobytes(List.of(result)));
    return String.format(Locale.ROOT, "at most %.1f KB", heaviest.getValue());
  }

  @Override
  public String table(Standings<Map<String, Integer>> standings) {
    StringBuilder table = new StringBuilder("| page | KB gz |\n|---|---:|\n");
    all(standings)
        .forEach(
            (page, weight) ->
                table.append(String.format(Locale.ROOT, "| %s | %.1f |%n", page, weight)));
    return table.toString();
  }

  @Override
  public BarChart chart(Standings<Map<String, Integer>> standings) {
    return BarChart.of("KB gz", all(standings));
  }

  @Override
  public List<Finding> findings(Standings<Map<String, Integer>> standings) {
    Map.Entry<String, Double> heaviest = heaviest(all(standings));
    return List.of(
        Finding.atMost(
            kilobytes,
            "HTML gz: the heaviest page, " + heaviest.getKey(),
            heaviest.getValue(),
            "KB"));
  }

  private static Map<String, Double> all(Standings<Map<String, Integer>> standings) {
    return kilobytes(standings.results());
  }

  private static Map<String, Double> kilobytes(List<Map<String, Integer>> rounds) {
    Map<String, Double> all = new LinkedHashMap<>();
    rounds.forEach(
        round -> round.forEach((page, bytes) -> all.merge(page, bytes / BYTES, Math::max)));
    return all;
  }

  private static Map.Entry<String, Double> heaviest(Map<String, Double> all) {
    return all.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
  }
}
