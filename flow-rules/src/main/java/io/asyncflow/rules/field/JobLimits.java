package io.asyncflow.rules.field;

/** Limits of a job's parts. */
public final class JobLimits {

  /** The same limit as for a request body, in bytes. */
  public static final int INPUT_BYTES = 16 * 1024 * 1024;

  public static final int CHILDREN = 100_000;

  /** The most copies of a team, and the most children in a create. */
  public static final int CHILDREN_AT_ONCE = 1_000;

  /** How often a copy of a team may move after failures. */
  public static final int MOVES = 100;

  /** The largest window of a job. */
  public static final int WINDOW = CHILDREN;

  private JobLimits() {}
}
