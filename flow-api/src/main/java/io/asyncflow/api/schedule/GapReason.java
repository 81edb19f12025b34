package io.asyncflow.api.schedule;

/** Why fire times made nothing. */
public enum GapReason {
  /** No server could make them in time, and the catch-up policy does not ask for them. */
  MISSED,
  /** One later run stands for all of them. */
  MERGED,
  /** The schedule was paused. */
  PAUSED
}
