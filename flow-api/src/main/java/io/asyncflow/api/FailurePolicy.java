package io.asyncflow.api;

/** What a job does about a child that failed for good, or was cancelled. */
public enum FailurePolicy {
  /** Lets the other children finish, and is failed then; a retry runs only what failed. */
  FINISH,
  /** Cancels the other children, and is failed then. */
  FAIL_FAST
}
