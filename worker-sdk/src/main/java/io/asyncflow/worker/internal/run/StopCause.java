package io.asyncflow.worker.internal.run;

/** Why a handler was interrupted. */
public enum StopCause {
  /** At its deadline; reported as a failed attempt. */
  TIMED_OUT,
  /** The worker stops; the task is given back. */
  SHUT_DOWN,
  /** The lease may be somebody else's; nothing is reported. */
  LOST,
  /** An operator cancelled the task; nothing is reported. */
  CANCELLED
}
