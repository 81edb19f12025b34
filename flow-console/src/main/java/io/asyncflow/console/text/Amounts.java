package io.asyncflow.console.text;

import io.asyncflow.api.stats.BoundedCount;
import java.util.Locale;

/** Durations, sizes and estimated counts in the words of a language. Immutable. */
public final class Amounts {

  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final int EXACT = 10_000;
  private static final double MILLION = 1_000_000;
  private static final long KIBI = 1_024;

  private final Words words;

  public Amounts(Words words) {
    this.words = words;
  }

  /** The two largest units: {@code 1 m 12 s}. */
  public String duration(long ms) {
    if (ms < SECOND) {
      return unit(ms, "ms");
    }
    if (ms < 10 * SECOND && ms % SECOND >= 100) {
      return words.get("unit.s", String.format(Locale.ROOT, "%.1f", ms / (double) SECOND));
    }
    if (ms < MINUTE) {
      return unit(ms / SECOND, "s");
    }
    if (ms < HOUR) {
      return two(ms, MINUTE, "m", SECOND, "s");
    }
    return ms < DAY ? two(ms, HOUR, "h", MINUTE, "m") : two(ms, DAY, "d", HOUR, "h");
  }

  /** Seconds of a setting. */
  public String seconds(long seconds) {
    return duration(seconds * SECOND);
  }

  /** How often something happens: {@code 31.5/s}, or a minute if it is seldom. */
  public String rate(double perSecond) {
    boolean isOften = perSecond >= 1;
    String number = String.format(Locale.ROOT, "%.1f", isOften ? perSecond : perSecond * 60);
    return words.get(isOften ? "unit.per_s" : "unit.per_m", number);
  }

  private String two(long ms, long large, String largeUnit, long small, String smallUnit) {
    long rest = ms % large / small;
    String first = unit(ms / large, largeUnit);
    return rest == 0 ? first : first + " " + unit(rest, smallUnit);
  }

  private String unit(long value, String unit) {
    return words.get("unit." + unit, String.valueOf(value));
  }

  /** A count that is an estimate, in two digits: {@code ≈ 9.8 M}. */
  public String about(long count) {
    return "≈ " + twoDigits(count);
  }

  /** A round count in few letters: {@code 500 K}, {@code 1 M}. */
  public String brief(long count) {
    return twoDigits(count).replace(".0 ", " ");
  }

  /** A count with a sign of how exact it is: {@code 812}, {@code ≥ 1,000}, {@code ≈ 9.8 M}. */
  public String count(BoundedCount count) {
    return switch (count.kind()) {
      case EXACT -> words.number(count.count());
      case AT_LEAST -> "≥ " + twoDigits(floor(count.count()));
      case ABOUT -> about(count.count());
    };
  }

  /** The same in words, for those who hear it. */
  public String countInWords(BoundedCount count) {
    return switch (count.kind()) {
      case EXACT -> words.number(count.count());
      case AT_LEAST -> words.get("count.at_least", twoDigits(floor(count.count())));
      case ABOUT -> words.get("count.about", twoDigits(count.count()));
    };
  }

  /** The largest count of two digits and zeros that is not more; small ones as they are. */
  private static long floor(long count) {
    if (count < EXACT) {
      return count;
    }
    long unit = (long) Math.pow(10, String.valueOf(count).length() - 2.0);
    return count / unit * unit;
  }

  private String twoDigits(long count) {
    if (count < EXACT) {
      return words.number(count);
    }
    long digits = (long) Math.pow(10, String.valueOf(count).length() - 2);
    double rounded = Math.round(count / (double) digits) * (double) digits;
    boolean isZh = words.language() == Language.ZH;
    double base = isZh ? 10_000 : count < MILLION ? 1_000 : MILLION;
    String unit = isZh ? " 万" : count < MILLION ? " K" : " M";
    double shown = rounded / base;
    return (shown < 10
            ? String.format(Locale.ROOT, "%.1f", shown)
            : words.number(Math.round(shown)))
        + unit;
  }

  /** A size: {@code 1.9 GB}. */
  public String bytes(long bytes) {
    if (bytes < KIBI) {
      return bytes + " B";
    }
    double value = bytes;
    int unit = -1;
    while (value >= KIBI && unit < 3) {
      value /= KIBI;
      unit++;
    }
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value)
        + " "
        + "KMGT".charAt(unit)
        + "B";
  }
}
