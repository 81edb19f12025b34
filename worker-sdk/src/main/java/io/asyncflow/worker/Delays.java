package io.asyncflow.worker;

import java.time.Duration;

/** Converts delays computed by handlers into delays that flowsvr accepts. */
final class Delays {

  private static final Duration LONGEST = Duration.ofDays(3_650);

  private Delays() {}

  /**
   * The delay; a negative one becomes zero, because handlers compute the time until a moment that
   * may just have passed.
   */
  static Duration checked(Duration delay) {
    if (delay.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "a delay is at most " + LONGEST.toDays() + " days, not " + delay);
    }
    return delay.isNegative() ? Duration.ZERO : delay;
  }
}
