package io.asyncflow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All of a run: the conditions, a table a contest, and the findings last.
 *
 * @param conditions what the figures depend on
 * @param standings what each contest came to
 */
record Report(Conditions conditions, List<Standings<?>> standings) {

  Report {
    standings = List.copyOf(standings);
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    standings.forEach(each -> findings.addAll(findingsOf(each)));
    return findings;
  }

  String markdown() {
    StringBuilder text = new StringBuilder("# Asyncflow bench\n\n");
    text.append(conditions.markdown());
    standings.forEach(each -> text.append(section(each)));
    text.append("\n## Findings\n\n| | median |\n|---|---:|\n");
    findings()
        .forEach(
            finding -> text.append("| %s | %s |\n".formatted(finding.what(), finding.value())));
    return text.toString();
  }

  private static <R> String section(Standings<R> standings) {
    Contest<R> contest = standings.contest();
    return "\n## "
        + contest.title()
        + "\n\n"
        + contest.measure().table(standings)
        + "\n"
        + cost(standings)
        + "\n"
        + rounds(standings)
        + verdict(standings);
  }

  /** What a unit costs: worth more than its speed where others use the machine as well. */
  private static <R> String cost(Standings<R> standings) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < standings.contest().contenders().size(); i++) {
      Map<String, Double> cost = standings.cpuPerUnit(i);
      if (i == 0) {
        text.append("| CPU, µs each | ").append(String.join(" | ", cost.keySet()));
        text.append(" | sum |\n|---|").append("---:|".repeat(cost.size() + 1)).append("\n");
      }
      double sum = cost.values().stream().mapToDouble(Double::doubleValue).sum();
      text.append("| ").append(standings.contest().contenders().get(i).name()).append(" |");
      cost.values().forEach(seconds -> text.append(micros(seconds)));
      text.append(micros(sum)).append("\n");
    }
    return text.toString();
  }

  private static String micros(double seconds) {
    return String.format(Locale.ROOT, " %,.0f |", seconds * 1e6);
  }

  private static <R> String rounds(Standings<R> standings) {
    StringBuilder text = new StringBuilder();
    for (int round = 0; round < standings.rounds().size(); round++) {
      for (Lap<R> lap : standings.rounds().get(round).laps()) {
        text.append("- round %d, %s: %s\n".formatted(round + 1, lap.contender(), lap.cpu()));
      }
    }
    return text.toString();
  }

  private static String verdict(Standings<?> standings) {
    if (standings.disturbed()) {
      return "\nEvery round was DISTURBED by other processes: these figures mean little.\n";
    }
    return standings.dropped() == 0
        ? ""
        : "\nRounds dropped because others were busy: " + standings.dropped() + ".\n";
  }

  private static <R> List<Finding> findingsOf(Standings<R> standings) {
    List<Finding> findings = standings.contest().measure().findings(standings);
    return standings.disturbed()
        ? findings.stream().map(f -> new Finding(f.what(), f.value() + " (disturbed)")).toList()
        : findings;
  }
}
