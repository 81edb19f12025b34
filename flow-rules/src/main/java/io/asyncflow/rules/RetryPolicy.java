package io.asyncflow.rules;

import java.time.Duration;

/**
 * How often and after which delays a stage is tried again: constant, none, or doubling up to a cap.
 *
 * @param maxRetries retries of one stage; 0 for none
 * @param interval the type's retry_interval in seconds. Negative: the delay is always its absolute
 *     value. 0: no delay. Positive: the first delay if there is a {@code typeCap}, else the cap
 * @param typeCap the type's max_retry_interval in seconds; {@code null} for none
 * @param taskCap the task's own cap in seconds, which takes precedence; {@code null} for none
 */
public record RetryPolicy(int maxRetries, int interval, Integer typeCap, Integer taskCap) {

  /** Whether the stage is tried again after its {@code failures}-th failure, counted from 1. */
  public boolean allowsRetryAfter(int failures) {
    return failures <= maxRetries;
  }

  /** The cap of the doubling delay, in seconds. */
  public int cap() {
    if (taskCap != null) {
      return taskCap;
    }
    return typeCap != null ? typeCap : Math.abs(interval);
  }

  /** The delay after the {@code failures}-th failure of a stage, counted from 1. */
  public Duration delayAfter(int failures) {
    if (interval < 0) {
      return Duration.ofSeconds(-(long) interval);
    }
    if (interval == 0) {
      return Duration.ZERO;
    }
    long first = typeCap != null ? interval : 1;
    int doublings = Math.min(Math.max(failures, 1) - 1, 31); // 2^31 s exceeds every cap
    return Duration.ofSeconds(Math.min(first << doublings, cap()));
  }
}
