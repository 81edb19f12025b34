package io.asyncflow.api.pause;

/** What a pause stops. */
public enum PauseKind {
  /** All tasks of a type, by its name. */
  TYPE,
  /** The tasks of one stage of a type, by {@code type/stage}. */
  STAGE,
  /** The holds of a worker, by its id. */
  WORKER
}
