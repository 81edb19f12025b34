package io.asyncflow.systemtest.check;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.History;
import io.asyncflow.systemtest.invariant.Rules;
import io.asyncflow.systemtest.invariant.Violation;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds what several processes recorded, and the rows that are left, to the invariants.
 *
 * <p>It judges by real time alone: one act came before another if it was answered before the other
 * was sent, and nothing is concluded from acts that overlap. A call without an answer may have
 * taken effect or not, and both are right as long as everything else fits one of them. So what it
 * calls a violation is one, whatever the timing; and a fault is never an excuse for anything but an
 * error.
 *
 * <p>Thread-safe.
 */
public final class HistoryChecker {

  private final List<Check> checks;

  public HistoryChecker(Rules rules) {
    this.checks =
        List.of(
            new CreationCheck(),
            new HoldCheck(rules),
            new ReportCheck(),
            new FinalityCheck(),
            new PathCheck(rules),
            new VisibilityCheck(),
            new JobCheck(),
            new HealthCheck(rules));
  }

  /** Returns all violations, in the order of the invariants; empty if all is well. */
  public Verdict check(History history, Audit audit) {
    Evidence evidence = new Evidence(history, audit);
    List<Violation> violations = new ArrayList<>();
    for (Check check : checks) {
      check.inspect(
          evidence,
          (invariant, subject, what) -> violations.add(new Violation(invariant, subject, what)));
    }
    return Verdict.of(evidence, violations);
  }
}
