package io.asyncflow.systemtest.check;

import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.invariant.Invariant;

/** Holds the evidence to some of the invariants. */
@FunctionalInterface
interface Check {

  /** Takes what was found wrong. */
  @FunctionalInterface
  interface Findings {
    void add(Invariant invariant, String subject, String what);
  }

  void inspect(Evidence evidence, Findings findings);
}
