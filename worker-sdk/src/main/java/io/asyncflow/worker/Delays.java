package io.asyncflow.worker;

import java.time.Duration;

/** What handlers compute as a delay, and what flowsvr takes. */
final class Delays {

  private static final Duration LONGEST = Duration.ofDays(3_650);

  private Delays() {}

  /** A moment that has just passed is no delay: handlers compute "until then" and need time. */
  static Duration checked(Duration delay) {
    if (delay.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "a delay is at most " + LONGEST.toDays() + " days, not " + delay);
    }
    return delay.isNegative() ? Duration.ZERO : delay;
  }
}
