package io.asyncflow.console.text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/**
 * Instants in the time zone of an operator. Immutable.
 *
 * @param zone in which the server writes times; a script rewrites them if the operator asked for
 *     the browser's own
 */
public record Times(ZoneId zone) {

  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
  private static final DateTimeFormatter ISO =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final long LATEST = 253_402_300_799_999L; // of the year 9999

  /** As an operator reads it. */
  public String text(long epochMs) {
    return TEXT.format(instant(epochMs).atZone(zone));
  }

  /**
   * A part of it, where there is no room for all.
   *
   * @param part {@code time}, {@code day} or {@code both}
   */
  public String part(long epochMs, String part) {
    String text = text(epochMs);
    return switch (part) {
      case "time" -> text.substring(11, 16);
      case "day" -> text.substring(5, 10);
      default -> text.substring(5, 16);
    };
  }

  /** As a machine reads it. */
  public String iso(long epochMs) {
    return ISO.format(instant(epochMs));
  }

  private static Instant instant(long epochMs) {
    return Instant.ofEpochMilli(Math.max(0, Math.min(epochMs, LATEST)));
  }

  /** As a field of a form has it. */
  public String field(Long epochMs) {
    return epochMs == null
        ? ""
        : instant(epochMs)
            .atZone(zone)
            .toLocalDateTime()
            .truncatedTo(ChronoUnit.MINUTES)
            .toString();
  }

  /** What was typed into a field of a form; empty if it is no time. */
  public Optional<Long> parse(String field) {
    try {
      return Optional.of(LocalDateTime.parse(field).atZone(zone).toInstant().toEpochMilli());
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** The zone with this name; empty if there is none. */
  public static Optional<ZoneId> zone(String name) {
    try {
      return Optional.of(ZoneId.of(name));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
