package io.asyncflow.api.schedule;

/** What a save did. */
public enum SaveOutcome {
  /** There was no schedule with this name. */
  CREATED,
  /** The definition was another one. */
  CHANGED,
  /** The definition was another one, and with its {@code maxFires} the schedule has ended. */
  ENDED,
  /** The definition was the same; nothing was written. */
  UNCHANGED,
  /** The schedule has a higher revision; nothing was written. */
  KEPT
}
