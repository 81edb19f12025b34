package io.asyncflow.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

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
        + cpu(standings)
        + verdict(standings);
  }

  private static <R> String cpu(Standings<R> standings) {
    StringBuilder text = new StringBuilder();
    int number = 0;
    for (Round<R> round : standings.rounds()) {
      text.append("- round ").append(++number).append(": ");
      text.append(
          round.laps().stream()
              .map(lap -> lap.contender() + ": " + lap.cpu())
              .collect(Collectors.joining("; ")));
      text.append("\n");
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
