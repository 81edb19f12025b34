package io.asyncflow.flowsvr.job.core;

/** How large the parts of a job may be. */
public final class JobLimits {

  /** As much as a request's body. */
  public static final int INPUT_BYTES = 16 * 1024 * 1024;

  public static final int CHILDREN = 100_000;

  private JobLimits() {}
}
