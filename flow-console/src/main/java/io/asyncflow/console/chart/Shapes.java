package io.asyncflow.console.chart;

import java.util.List;
import java.util.Locale;

/**
 * Paths of SVG through a value for each step. A step is ten units wide; {@code null} is a gap, and
 * never 0.
 */
final class Shapes {

  static final int STEP = 10;

  private static final int MIDDLE = STEP / 2;
  private static final int BAR = STEP - 2;

  private Shapes() {}

  /** A line that breaks at gaps; a value between two gaps is a dot. */
  static String line(List<Long> values, Scale scale) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) != null) {
        boolean isFirst = i == 0 || values.get(i - 1) == null;
        boolean isLast = i + 1 == values.size() || values.get(i + 1) == null;
        path.append(isFirst ? "M" : " ").append(point(i, values.get(i), scale));
        if (isFirst && isLast) {
          path.append("h0");
        }
      }
    }
    return path.toString();
  }

  /** The area between two lines, where both are known. */
  static String area(List<Long> low, List<Long> high, Scale scale) {
    StringBuilder path = new StringBuilder();
    int i = 0;
    while (i < low.size()) {
      if (low.get(i) == null || high.get(i) == null) {
        i++;
        continue;
      }
      int begin = i;
      StringBuilder back = new StringBuilder();
      for (; i < low.size() && low.get(i) != null && high.get(i) != null; i++) {
        path.append(i == begin ? "M" : " ").append(point(i, high.get(i), scale));
        back.insert(0, " " + point(i, low.get(i), scale));
      }
      path.append(back).append('z');
    }
    return path.toString();
  }

  /** Bars that stand on others, whose values are {@code below}. */
  static String bars(List<Long> below, List<Long> values, Scale scale) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      long value = values.get(i) == null ? 0 : values.get(i);
      if (value > 0) {
        long base = below.get(i) == null ? 0 : below.get(i);
        int foot = scale.y(base);
        int head = Math.min(scale.y(base + value), foot - 1); // one of a million is seen, too
        path.append(
            String.format(Locale.ROOT, "M%s %sV%sh%sV%sz", i * STEP + 1, foot, head, BAR, foot));
      }
    }
    return path.toString();
  }

  private static String point(int step, long value, Scale scale) {
    return (step * STEP + MIDDLE) + " " + scale.y(value);
  }
}
