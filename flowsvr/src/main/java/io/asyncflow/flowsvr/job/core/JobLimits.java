package io.asyncflow.flowsvr.job.core;

/** Limits of a job's parts. */
public final class JobLimits {

  /** The same limit as for a request body, in bytes. */
  public static final int INPUT_BYTES = 16 * 1024 * 1024;

  public static final int CHILDREN = 100_000;

  /** The largest window of a job. */
  public static final int WINDOW = CHILDREN;

  private JobLimits() {}
}
