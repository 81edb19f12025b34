package io.asyncflow.bench.work;

import java.time.Duration;
import java.util.Locale;
import java.util.Random;

/**
 * The gaps between tasks that arrive one by one at random moments: arrivals without memory, but
 * never two at once and never a long pause.
 */
public final class Arrivals {

  private static final double SHORTEST_GAP_MS = 50;
  private static final double LONGEST_GAP_MS = 300;
  private static final double MEAN_GAP_MS = 130;

  /** Seeded: each run of the bench sees the same arrivals. */
  private final Random random = new Random(42);

  /** In a title. */
  public static String inWords() {
    return String.format(
        Locale.ROOT, "gaps of %.0f to %.0f ms, exponential", SHORTEST_GAP_MS, LONGEST_GAP_MS);
  }

  public Duration nextGap() {
    double exponential = -Math.log(1 - random.nextDouble()) * (MEAN_GAP_MS - SHORTEST_GAP_MS);
    double millis = Math.min(LONGEST_GAP_MS, SHORTEST_GAP_MS + exponential);
    return Duration.ofNanos((long) (millis * 1e6));
  }
}
