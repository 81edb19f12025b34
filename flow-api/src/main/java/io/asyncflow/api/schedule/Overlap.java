package io.asyncflow.api.schedule;

/** What a fire does while the last run of its schedule has not ended. */
public enum Overlap {
  /** It creates another run, which runs beside the last. */
  ALLOW,
  /** It creates nothing and is recorded as {@link FireOutcome#SKIPPED}. */
  SKIP,
  /** One run is created when the last has ended, whatever the number of fires that waited. */
  WAIT,
  /** The last run is cancelled, and another one is created. */
  REPLACE
}
