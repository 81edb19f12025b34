package io.asyncflow.worker.internal.loop;

import java.time.Duration;
import java.util.Locale;

/** Reads durations such as {@code 30s}, {@code 1h30m} or {@code PT30S}. */
public final class DurationText {

  private DurationText() {}

  /**
   * @throws java.time.format.DateTimeParseException if it is none
   */
  public static Duration parse(String text) {
    String upper = text.strip().toUpperCase(Locale.ROOT);
    String prefix = upper.contains("D") ? "P" : "PT";
    return Duration.parse(upper.startsWith("P") ? upper : prefix + upper);
  }
}
