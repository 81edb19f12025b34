package io.asyncflow.api.schedule;

/** What happens to fires that no server could make in time. */
public enum CatchUp {
  /** One run for all that were missed. */
  LATEST,
  /** None: a fire that is later than 60 seconds is missed. */
  NONE,
  /** One run for each, up to {@link NewSchedule#catchUpLimit()}. */
  ALL
}
