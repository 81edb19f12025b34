package io.asyncflow.bench.report;

import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.contest.Contest;
import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.contest.Lap;
import io.asyncflow.bench.contest.Standings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All of a run: the conditions, a table a contest, and last what it was all for: the targets.
 *
 * @param conditions what the figures depend on
 * @param standings what each contest came to
 * @param facts what else was found
 */
public record Report(Conditions conditions, List<Standings<?>> standings, List<Finding> facts) {

  public Report {
    standings = List.copyOf(standings);
    facts = List.copyOf(facts);
  }

  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    standings.forEach(each -> findings.addAll(findingsOf(each)));
    findings.addAll(facts);
    return findings;
  }

  /**
   * @param charts the file of each contest that has been drawn, as a link names it
   */
  public String markdown(Map<Contest<?>, String> charts) {
    StringBuilder text = new StringBuilder("# Asyncflow bench\n\n");
    text.append(conditions.markdown());
    standings.forEach(each -> text.append(section(each, charts.get(each.contest()))));
    text.append("\n## Figures\n\n| | figure | |\n|---|---:|---|\n");
    findings().stream().filter(each -> !each.hasTarget()).forEach(each -> text.append(each.row()));
    text.append("\n## Targets\n\n| | target | figure | |\n|---|---:|---:|---|\n");
    findings().stream().filter(Finding::hasTarget).forEach(each -> text.append(each.row()));
    return text.toString();
  }

  private static <R> String section(Standings<R> standings, String chart) {
    Contest<R> contest = standings.contest();
    return "\n## "
        + contest.title()
        + "\n\n"
        + conditions(contest)
        + (chart == null ? "" : "![%s](%s)\n\n".formatted(contest.key(), chart))
        + contest.measure().table(standings)
        + "\n"
        + cost(standings)
        + "\n"
        + rounds(standings)
        + verdict(standings);
  }

  private static String conditions(Contest<?> contest) {
    StringBuilder text = new StringBuilder();
    for (Contender<?> contender : contest.contenders()) {
      if (!contender.conditions().isEmpty()) {
        text.append("- %s: %s\n".formatted(contender.name(), contender.conditions()));
      }
    }
    return text.isEmpty() ? "" : text.append("\n").toString();
  }

  /** What a unit costs: worth more than its speed where others use the machine as well. */
  private static <R> String cost(Standings<R> standings) {
    StringBuilder text = new StringBuilder();
    for (Contender<R> contender : standings.contest().contenders()) {
      Map<String, Double> cost = standings.cpuPerUnit(contender);
      if (text.isEmpty()) {
        text.append("| CPU, µs each | ").append(String.join(" | ", cost.keySet()));
        text.append(" | sum |\n|---|").append("---:|".repeat(cost.size() + 1)).append("\n");
      }
      double sum = cost.values().stream().mapToDouble(Double::doubleValue).sum();
      text.append("| ").append(contender.name()).append(" |");
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
        text.append("- round %s, %s: %s\n".formatted(round + 1, lap.contender(), lap.cpu()));
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
    return standings.disturbed() ? findings.stream().map(Finding::disturbed).toList() : findings;
  }
}
