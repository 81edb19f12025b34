package io.asyncflow.systemtest.check;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.Executions;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a checker found.
 *
 * @param tasks how many it looked at
 * @param executions starts of handlers
 * @param violations in the order in which they were found
 */
public record Verdict(int tasks, Executions executions, List<Violation> violations) {

  private static final int EXAMPLES = 5;

  static Verdict of(Evidence evidence, List<Violation> violations) {
    return new Verdict(evidence.all().size(), Executions.of(evidence), List.copyOf(violations));
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

  /** How often an invariant was violated. */
  public long count(Invariant invariant) {
    return violations.stream().filter(violation -> violation.invariant() == invariant).count();
  }

  /** A line for each invariant, and some examples of what is wrong. */
  public String table() {
    Map<Invariant, Integer> counts = new HashMap<>();
    violations.forEach(violation -> counts.merge(violation.invariant(), 1, Integer::sum));
    StringBuilder table = new StringBuilder();
    for (Invariant invariant : Invariant.values()) {
      table.append(
          String.format(
              Locale.ROOT,
              "%8d  %2d %s%n",
              counts.getOrDefault(invariant, 0),
              invariant.number(),
              invariant.sentence()));
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
