package io.asyncflow.flowsvr.compose.job.steps;

import java.time.Duration;

/** Tells whether rounds have run for a while without a break. Not thread-safe. */
final class SteadyRounds {

  private final long longestPause;
  private final long needed;
  private long begin;
  private long lastEnd;

  /**
   * @param longestPause between two rounds; a longer one is a break
   * @param needed how long they must have run
   * @param now the monotonic clock in ns
   */
  SteadyRounds(Duration longestPause, Duration needed, long now) {
    this.longestPause = longestPause.toNanos();
    this.needed = needed.toNanos();
    this.begin = now;
    this.lastEnd = now;
  }

  /** A round begins; returns whether the rounds before it have run for long enough. */
  boolean begin(long now) {
    if (now - lastEnd > longestPause) {
      begin = now;
    }
    return now - begin >= needed;
  }

  /** A round has ended without a failure. */
  void end(long now) {
    lastEnd = now;
  }
}
