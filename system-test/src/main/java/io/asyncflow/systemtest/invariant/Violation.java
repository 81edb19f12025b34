package io.asyncflow.systemtest.invariant;

/**
 * One thing that should not have happened.
 *
 * @param subject the task, key or call that it happened to
 * @param what half a sentence with the facts
 */
public record Violation(Invariant invariant, String subject, String what) {

  @Override
  public String toString() {
    return invariant.number() + " " + invariant + ": " + subject + ": " + what;
  }
}
