package io.asyncflow.flowsvr.base.duty;

/** The result of a run of a duty that is more than a number; shown as JSON. */
public interface DutyResult {

  /** Whether the run had an effect; runs without one are recorded only once a minute. */
  boolean hadEffect();
}
