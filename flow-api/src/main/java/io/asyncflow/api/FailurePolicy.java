package io.asyncflow.api;

/** What a job does when a child fails for good or is cancelled. */
public enum FailurePolicy {
  /** The other children finish, then the job is failed; a retry runs only the failed children. */
  FINISH,
  /** The other children are cancelled, then the job is failed. */
  FAIL_FAST
}
