package io.asyncflow.api.schedule;

/** The states of a schedule. */
public enum ScheduleState {
  /** It fires. */
  ACTIVE,
  /** It does not fire until it is resumed, by a call or at its {@link Schedule#pauseUntil()}. */
  PAUSED,
  /** Its last fire was made, or its end time has come. Only a save with a later end leaves it. */
  ENDED
}
