package io.asyncflow.flowsvr.job;

/** How large the parts of a job may be. */
final class JobLimits {

  /** As much as a request's body. */
  static final int INPUT_BYTES = 16 * 1024 * 1024;

  static final int CHILDREN = 100_000;

  private JobLimits() {}
}
