package io.asyncflow.systemtest.cluster;

import java.time.Duration;
import java.util.Locale;

/** Figures are recorded and not asserted: one line each, where the build's output shows it. */
public final class Figures {

  private Figures() {}

  public static void print(String format, Object... values) {
    System.out.println("FIGURE " + String.format(Locale.ROOT, format, values));
  }

  public static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  public static long ms(Duration duration) {
    return duration.toMillis();
  }
}
