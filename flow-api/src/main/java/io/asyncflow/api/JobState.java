package io.asyncflow.api;

/** The life of a job. */
public enum JobState {
  /** Its split runs, or waits to. No child is a task yet. */
  SPLITTING,
  /** Its children run. */
  RUNNING,
  /** A retry lets failed and cancelled children wait again; then it runs. */
  RETRYING,
  /** What is left of it is being cancelled. */
  STOPPING,
  /** All children are done; its merge runs, or waits to. */
  MERGING,
  /** Merged; the result is committed. */
  SUCCESS,
  /** Its split, its merge or some of its children failed. */
  FAILED,
  /** Cancelled. */
  CANCELLED;

  /** Whether only a retry leaves this state. */
  public boolean isFinal() {
    return switch (this) {
      case SPLITTING, RUNNING, RETRYING, STOPPING, MERGING -> false;
      case SUCCESS, FAILED, CANCELLED -> true;
    };
  }
}
