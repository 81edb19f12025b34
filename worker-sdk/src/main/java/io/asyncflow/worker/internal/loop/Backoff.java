package io.asyncflow.worker.internal.loop;

import java.time.Duration;

/**
 * How long to wait after so many failures in a row: doubling from 100 ms to 5 s, each wait
 * shortened by a random part of up to a half, so that many workers do not come back at the same
 * moment.
 *
 * <p>Not thread-safe: it belongs to one loop.
 */
public final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final int MOST_DOUBLINGS = 10;

  /** How much of a wait chance may take away. */
  private static final double CHANCE = 0.5;

  private final Jitter jitter;
  private int failures;

  public Backoff(Jitter jitter) {
    this.jitter = jitter;
  }

  /** One more failure: the wait before the next try. */
  public Duration next() {
    failures++;
    return after(failures);
  }

  /** It worked; the next failure is a first one. */
  public void reset() {
    failures = 0;
  }

  /**
   * The same for a caller who counts for himself.
   *
   * @param count failures in a row, from 1
   */
  public Duration after(int count) {
    long doubled = FIRST.toMillis() << Math.min(count - 1, MOST_DOUBLINGS);
    return jitter.shorten(Duration.ofMillis(Math.min(doubled, LONGEST.toMillis())), CHANCE);
  }
}
