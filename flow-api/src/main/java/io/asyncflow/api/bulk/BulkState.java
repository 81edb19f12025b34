package io.asyncflow.api.bulk;

/** How far a bulk has come. */
public enum BulkState {
  /** It has not started. */
  PREVIEWED,
  RUNNING,
  /** An operator has stopped it; it can go on. */
  STOPPED,
  DONE,
  /** It cannot go on, because its caller may not do it any more. */
  FAILED
}
