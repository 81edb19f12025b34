package io.asyncflow.worker.internal;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait after each failure in a row: doubling from 100 ms to 5 s, each wait shortened by
 * a random part of up to a half, so that many workers do not come back at the same moment.
 *
 * <p>Not thread-safe: it belongs to one loop.
 */
public final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final DoubleSupplier random;
  private int failures;

  /**
   * @param random from 0 to 1
   */
  public Backoff(DoubleSupplier random) {
    this.random = random;
  }

  /** One more failure: the wait before the next try. */
  public Duration next() {
    long doubled = FIRST.toMillis() << Math.min(failures, 10);
    failures++;
    long whole = Math.min(doubled, LONGEST.toMillis());
    return Duration.ofMillis(whole - (long) (random.getAsDouble() * whole / 2));
  }

  public void reset() {
    failures = 0;
  }
}
