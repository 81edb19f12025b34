package io.asyncflow.systemtest.invariant;

import io.asyncflow.systemtest.invariant.TaskStory.Run;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a checker found.
 *
 * @param tasks how many it looked at
 * @param executions how often a handler was started
 * @param repeated executions of a stage beyond its first
 * @param violations in the order in which they were found
 */
public record Verdict(int tasks, int executions, int repeated, List<Violation> violations) {

  private static final int EXAMPLES = 5;

  static Verdict of(Evidence evidence, List<Violation> violations) {
    int executions = 0;
    int first = 0;
    for (TaskStory story : evidence.all()) {
      executions += story.runs.size();
      first += (int) story.runs.stream().map(Run::stage).distinct().count();
    }
    return new Verdict(
        evidence.all().size(), executions, executions - first, List.copyOf(violations));
  }

  public boolean isClean() {
    return violations.isEmpty();
  }

  /** The invariants that were violated. */
  public Set<Invariant> broken() {
    Set<Invariant> broken = new TreeSet<>();
    violations.forEach(violation -> broken.add(violation.invariant()));
    return broken;
  }

  /** A line for each invariant, and some examples of what is wrong. */
  public String table() {
    Map<Invariant, Integer> counts = new HashMap<>();
    violations.forEach(violation -> counts.merge(violation.invariant(), 1, Integer::sum));
    StringBuilder table = new StringBuilder();
    for (Invariant invariant : Invariant.values()) {
      table.append(
          "%8d  %2d %s%n"
              .formatted(
                  counts.getOrDefault(invariant, 0), invariant.number(), invariant.sentence()));
    }
    for (Invariant invariant : broken()) {
      violations.stream()
          .filter(violation -> violation.invariant() == invariant)
          .limit(EXAMPLES)
          .forEach(violation -> table.append(violation).append(System.lineSeparator()));
    }
    return table.toString();
  }
}
