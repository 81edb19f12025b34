package io.asyncflow.systemtest.cluster;

import java.time.Duration;

/** Time since a moment, on the clock of the histories. */
record Stopwatch(long startedAt) {

  static Stopwatch start() {
    return new Stopwatch(System.nanoTime());
  }

  Duration elapsed() {
    return until(System.nanoTime());
  }

  Duration until(long moment) {
    return Duration.ofNanos(moment - startedAt);
  }
}
