package io.asyncflow.worker;

/** The life cycle of a {@link Worker}: states follow in this order and never return. */
public enum WorkerState {
  /** Built, not started. */
  NEW,
  /** Holds tasks and runs them. */
  RUNNING,
  /** Holds no new tasks; finishes or releases the held ones. */
  STOPPING,
  /** Stopped for good. */
  STOPPED
}
