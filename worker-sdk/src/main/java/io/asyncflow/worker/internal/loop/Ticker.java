package io.asyncflow.worker.internal.loop;

import java.time.Duration;

/**
 * The only source of time: monotonic nanoseconds since a moment before the worker was built,
 * independent of the wall clock.
 */
@FunctionalInterface
public interface Ticker {

  /** The time in ns; never negative, never decreasing. */
  long nanos();

  /** The machine's monotonic clock. */
  static Ticker system() {
    long origin = System.nanoTime();
    return () -> System.nanoTime() - origin;
  }

  /** The time until {@code moment}; zero if it has passed. */
  default Duration until(long moment) {
    return Duration.ofNanos(Math.max(0, moment - nanos()));
  }
}
