package io.asyncflow.dev.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Times as people read and write them.
 *
 * @param zone the zone of times that name none
 */
public record TimeText(ZoneId zone) {
  /** Some ten thousand years. */
  private static final long MOST_SECONDS = TimeUnit.DAYS.toSeconds(3_650_000);

  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ssxxx", Locale.ROOT);

  /** A time of an answer; {@code -} for {@code null}. */
  public String of(Long epochMs) {
    return of(epochMs == null ? null : Instant.ofEpochMilli(epochMs));
  }

  /** A time; {@code -} for {@code null}. */
  public String of(Instant time) {
    return time == null ? "-" : FORMAT.format(time.atZone(zone));
  }

  /**
   * A time as {@link #of} writes it, or in ISO 8601, with or without a time of day and an offset.
   *
   * @throws DateTimeException if it is none
   */
  public Instant parse(String text) {
    Instant instant = instantOf(text.strip().replace(' ', 'T'));
    requireNear(instant.getEpochSecond());
    return instant;
  }

  private Instant instantOf(String iso) {
    if (!iso.contains("T")) {
      return LocalDate.parse(iso).atStartOfDay(zone).toInstant();
    }
    String timeOfDay = iso.substring(iso.indexOf('T'));
    return timeOfDay.matches(".*[Zz+-].*")
        ? OffsetDateTime.parse(iso).toInstant()
        : LocalDateTime.parse(iso).atZone(zone).toInstant();
  }

  /** What is farther away does not fit into milliseconds. */
  private static void requireNear(long seconds) {
    if (seconds < -MOST_SECONDS || seconds > MOST_SECONDS) {
      throw new DateTimeException("farther away than " + MOST_SECONDS + " s");
    }
  }

  /** A duration of an answer, such as {@code 1h30m}. */
  public static String ofDuration(long ms) {
    return Duration.ofMillis(ms).toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }

  /**
   * A duration as {@link #ofDuration} writes it, in days such as {@code 2d}, or in ISO 8601.
   *
   * @throws DateTimeException if it is none
   */
  public static Duration parseDuration(String text) {
    String iso = text.strip().toUpperCase(Locale.ROOT);
    if (!iso.startsWith("P")) {
      iso = (iso.contains("D") ? "P" : "PT") + iso;
    }
    Duration duration = Duration.parse(iso);
    requireNear(duration.getSeconds());
    return duration;
  }
}
