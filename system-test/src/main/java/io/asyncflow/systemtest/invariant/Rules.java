package io.asyncflow.systemtest.invariant;

import java.time.Duration;

/**
 * What a type's configuration promises, as far as a history can be held to it.
 *
 * @param maxRetries retries of a stage
 * @param retryInterval r of the retry delay
 * @param retryCap m of the retry delay; {@code null} where there is none
 * @param maxProcessingTime hard end of an attempt, from the hold
 * @param drainWithin after everything healed
 */
public record Rules(
    int maxRetries,
    Duration retryInterval,
    Duration retryCap,
    Duration maxProcessingTime,
    Duration drainWithin) {

  /**
   * The delay after a failure: r, 2r, 4r, … capped at m; without m 1, 2, 4, … capped at r; a
   * negative r means |r| every time.
   *
   * @param failures of the stage so far, this one included
   */
  public Duration retryDelay(int failures) {
    if (retryInterval.isNegative()) {
      return retryInterval.negated();
    }
    Duration first = retryCap == null ? Duration.ofSeconds(1) : retryInterval;
    Duration cap = retryCap == null ? retryInterval : retryCap;
    Duration doubled = first.multipliedBy(1L << Math.min(failures - 1, 30));
    return doubled.compareTo(cap) < 0 ? doubled : cap;
  }
}
