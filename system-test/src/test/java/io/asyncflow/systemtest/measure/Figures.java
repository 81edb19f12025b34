package io.asyncflow.systemtest.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;

/**
 * Figures are recorded and not asserted: one line each, where the build's output shows it and at
 * the end of the file {@code target/figures}.
 */
public final class Figures {

  private static final Path FILE = Path.of("target", "figures");

  private Figures() {}

  public static void print(String format, Object... values) {
    String figure = String.format(Locale.ROOT, format, values);
    System.out.println("FIGURE " + figure);
    try {
      Files.writeString(
          FILE,
          figure + System.lineSeparator(),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  public static long ms(Duration duration) {
    return duration.toMillis();
  }
}
