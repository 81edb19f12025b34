package io.asyncflow.worker;

/** The life of a {@link Worker}: each state follows the one before, and none comes back. */
public enum WorkerState {
  /** Built and not started. */
  NEW,
  /** Polls and runs. */
  RUNNING,
  /** Holds nothing new; finishes or gives back what it has. */
  STOPPING,
  /** Over. */
  STOPPED
}
