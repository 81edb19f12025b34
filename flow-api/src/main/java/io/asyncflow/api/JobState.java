package io.asyncflow.api;

/** The states of a job. */
public enum JobState {
  /** The split waits or runs. No child is a task yet. */
  SPLITTING,
  /** The children run. */
  RUNNING,
  /** A retry sets failed and cancelled children to waiting; then the job runs. */
  RETRYING,
  /** The remaining tasks are being cancelled. */
  STOPPING,
  /** All children have succeeded; the merge waits or runs. */
  MERGING,
  /** Merged; the result is stored. */
  SUCCESS,
  /** The split, the merge or some of the children failed. */
  FAILED,
  /** Cancelled. */
  CANCELLED;

  /** Whether the job has ended; only a retry leaves such a state. */
  public boolean isFinal() {
    return switch (this) {
      case SPLITTING, RUNNING, RETRYING, STOPPING, MERGING -> false;
      case SUCCESS, FAILED, CANCELLED -> true;
    };
  }
}
