package io.asyncflow.console.page.type;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A time that charts show, up to now. */
public enum Range {
  HOUR("1h", Duration.ofHours(1), 60),
  HOURS("6h", Duration.ofHours(6), 72),
  DAY("24h", Duration.ofHours(24), 72),
  DAYS("14d", Duration.ofDays(14), 84);

  private final String code;
  private final Duration length;
  private final int points;

  Range(String code, Duration length, int points) {
    this.code = code;
    this.length = length;
    this.points = points;
  }

  /** The one with this code; an hour if there is none. */
  static Range ofCode(String code) {
    return Arrays.stream(values())
        .filter(range -> range.code.equals(code))
        .findFirst()
        .orElse(HOUR);
  }

  /** Those of which the server knows all; the shortest one in any case. */
  static List<Range> within(long historyMs) {
    return Arrays.stream(values())
        .filter(range -> range == HOUR || range.lengthMs() <= historyMs)
        .toList();
  }

  /** Its name in an address. */
  public String code() {
    return code;
  }

  public long lengthMs() {
    return length.toMillis();
  }

  /** How many steps a chart has. */
  int points() {
    return points;
  }

  long stepMs() {
    return lengthMs() / points;
  }
}
