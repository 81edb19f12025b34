package io.asyncflow.systemtest.measure;

import java.time.Duration;

/** Time since a moment, on the clock of the histories. */
public record Stopwatch(long startedAt) {

  public static Stopwatch start() {
    return new Stopwatch(System.nanoTime());
  }

  public Duration elapsed() {
    return until(System.nanoTime());
  }

  public Duration until(long moment) {
    return Duration.ofNanos(moment - startedAt);
  }
}
