package io.asyncflow.systemtest.worker;

/** A point of a worker's loop at which its process can be made to die, as by kill -9. */
public enum CrashPoint {
  /** Nowhere. */
  NONE,
  /** The server has given tasks; the worker has not seen them. */
  HELD,
  /** A handler is about to be called. */
  BEFORE_HANDLER,
  /** A handler has done its work; nobody knows. */
  AFTER_HANDLER,
  /** A report is about to be sent. */
  BEFORE_REPORT,
  /** The server has taken a report; the worker has not seen the answer. */
  AFTER_REPORT;

  /** Dies if this is the point. No hook runs, and nothing is flushed. */
  void reached(CrashPoint point) {
    if (this == point) {
      Runtime.getRuntime().halt(137);
    }
  }
}
