package io.asyncflow.flowsvr.governance;

/** What a run of a governance job came to; shown as JSON. */
interface JobResult {

  /** Whether there was anything to do; if not, the run is noted only now and then. */
  boolean didAnything();
}
