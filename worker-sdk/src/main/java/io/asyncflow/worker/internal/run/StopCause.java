package io.asyncflow.worker.internal.run;

/** Why a handler was interrupted. */
public enum StopCause {
  /** At its deadline; reported as a failed attempt. */
  TIMED_OUT,
  /** The worker stops; the task is released. */
  SHUT_DOWN,
  /** Another worker may hold the lease; nothing is reported. */
  LOST,
  /** An operator cancelled the task; nothing is reported. */
  CANCELLED
}
