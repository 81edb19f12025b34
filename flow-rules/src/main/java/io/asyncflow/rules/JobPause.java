package io.asyncflow.rules;

/** Whether a job is paused; beside its state, which stays. In SQL it is its place here. */
public enum JobPause {
  /** It goes on; {@code NULL} in SQL. */
  NONE,
  /** What waits of it is paused, page by page. */
  PAUSED,
  /** What was paused of it waits again, page by page. */
  RESUMING
}
