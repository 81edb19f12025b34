package io.asyncflow.api.schedule;

/** What became of a fire. */
public enum FireOutcome {
  /** A task or a job was created. */
  CREATED,
  /** Nothing was created, because the last run had not ended; see {@link Overlap#SKIP}. */
  SKIPPED,
  /** Its task was created ahead of its time, and cancelled before it by a pause, delete or save. */
  WITHDRAWN,
  /** Nothing could be created; {@link Schedule#lastError()} says why. */
  REFUSED
}
