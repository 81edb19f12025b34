package io.asyncflow.systemtest.cluster;

import java.time.Duration;
import java.util.Locale;

/** Figures are recorded and not asserted: one line each, where the build's output shows it. */
final class Figures {

  private Figures() {}

  static void print(String format, Object... values) {
    System.out.println("FIGURE " + String.format(Locale.ROOT, format, values));
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  static long ms(Duration duration) {
    return duration.toMillis();
  }
}
