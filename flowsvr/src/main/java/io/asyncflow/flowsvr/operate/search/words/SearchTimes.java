package io.asyncflow.flowsvr.operate.search.words;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The times and durations of a search, as people write them. UTC. Pure. */
final class SearchTimes {

  private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
  private static final Pattern MOMENT =
      Pattern.compile("(\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2})(:\\d{2})?Z?");
  private static final Pattern EPOCH_MS = Pattern.compile("\\d{1,15}");
  private static final Pattern DURATION = Pattern.compile("(-?\\d{1,9})(ms|s|m|h|d|w)");
  private static final String TO = "..";

  private SearchTimes() {}

  /** Milliseconds of {@code 90s}, {@code 10m}, {@code 1h}, {@code 2d} or {@code 1w}. */
  static OptionalLong duration(String text) {
    Matcher found = DURATION.matcher(text);
    if (!found.matches()) {
      return OptionalLong.empty();
    }
    long unit =
        switch (found.group(2)) {
          case "ms" -> 1;
          case "s" -> 1_000;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          case "d" -> 86_400_000;
          default -> 7 * 86_400_000L;
        };
    return OptionalLong.of(Long.parseLong(found.group(1)) * unit);
  }

  /**
   * A day, a minute, a second, a millisecond, or {@code from..to}, where one side may be missing;
   * the last day, minute or second belongs to it.
   */
  static Optional<Span> span(String text) {
    int split = text.indexOf(TO);
    if (split < 0) {
      return moment(text);
    }
    String first = text.substring(0, split);
    String last = text.substring(split + TO.length());
    if (first.isEmpty() && last.isEmpty()) {
      return Optional.empty();
    }
    Optional<Span> from = first.isEmpty() ? Optional.of(Span.ALWAYS) : moment(first);
    Optional<Span> to = last.isEmpty() ? Optional.of(Span.ALWAYS) : moment(last);
    return from.flatMap(begin -> to.map(end -> new Span(begin.from(), end.to())));
  }

  private static Optional<Span> moment(String text) {
    try {
      if (EPOCH_MS.matcher(text).matches()) {
        return Optional.of(of(Long.parseLong(text), 1));
      }
      if (DAY.matcher(text).matches()) {
        long begin = LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
        return Optional.of(of(begin, 86_400_000));
      }
      Matcher found = MOMENT.matcher(text);
      if (found.matches()) {
        String second = found.group(2);
        LocalDateTime time = LocalDateTime.parse(found.group(1) + (second == null ? "" : second));
        long begin = time.toInstant(ZoneOffset.UTC).toEpochMilli();
        return Optional.of(of(begin, second == null ? 60_000 : 1_000));
      }
    } catch (DateTimeException e) {
      // such as the 30th of February
    }
    return Optional.empty();
  }

  private static Span of(long begin, long lengthMs) {
    return new Span(begin, begin + lengthMs);
  }
}
