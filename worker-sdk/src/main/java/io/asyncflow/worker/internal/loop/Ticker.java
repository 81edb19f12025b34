package io.asyncflow.worker.internal.loop;

import java.time.Duration;

/**
 * The only source of time: monotonic nanoseconds since some moment before the worker was made, so
 * that readings can be compared and never run backwards, whatever the wall clock does.
 */
@FunctionalInterface
public interface Ticker {

  /** Never negative, never smaller than before. */
  long nanos();

  /** The machine's monotonic clock. */
  static Ticker system() {
    long origin = System.nanoTime();
    return () -> System.nanoTime() - origin;
  }

  /** How long until {@code moment}; zero when it has passed. */
  default Duration until(long moment) {
    return Duration.ofNanos(Math.max(0, moment - nanos()));
  }
}
