package io.asyncflow.flowsvr.duty;

/** What a run of a duty came to, where a number does not say it; shown as JSON. */
public interface DutyResult {

  /** Whether there was anything to do; if not, the run is noted only now and then. */
  boolean hadEffect();
}
