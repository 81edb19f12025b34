package io.asyncflow.worker.internal.loop;

import java.time.Duration;

/**
 * Exponential backoff: the wait doubles from 100 ms to 5 s with each failure in a row, and is
 * shortened by a random part of up to a half, so that many workers do not return at the same
 * moment.
 *
 * <p>Not thread-safe; belongs to one loop.
 */
public final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final int MOST_DOUBLINGS = 10;

  /** The part of a wait by which jitter may shorten it. */
  private static final double JITTER = 0.5;

  private final Jitter jitter;
  private int failures;

  public Backoff(Jitter jitter) {
    this.jitter = jitter;
  }

  /** Records a failure; returns the wait before the next try. */
  public Duration next() {
    failures++;
    return after(failures);
  }

  /** Records a success. */
  public void reset() {
    failures = 0;
  }

  /**
   * The same for a caller with its own count.
   *
   * @param count failures in a row, from 1
   */
  public Duration after(int count) {
    long doubled = FIRST.toMillis() << Math.min(count - 1, MOST_DOUBLINGS);
    return jitter.shorten(Duration.ofMillis(Math.min(doubled, LONGEST.toMillis())), JITTER);
  }
}
