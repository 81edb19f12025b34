package io.asyncflow.api;

/** The outcome of a run, as reported by the worker; the server decides what follows. */
public enum Outcome {
  /** The task continues with another stage, or with the same one again. */
  NEXT_STAGE,
  /** The task has succeeded. */
  SUCCESS,
  /**
   * The attempt failed; the stage is tried again after a delay unless the retries are exhausted.
   */
  RETRY,
  /** The task failed for good. */
  FAIL,
  /** The same stage runs again after a delay; no attempt is counted. */
  SNOOZE,
  /** The task waits again, unchanged; no attempt is counted. */
  RELEASE
}
