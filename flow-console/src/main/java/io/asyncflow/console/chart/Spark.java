package io.asyncflow.console.chart;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A line without axes, for a cell of a table.
 *
 * @param values the latest last
 */
public record Spark(List<Long> values) {

  public static final int HEIGHT = 16;

  private static final int STEP = 2;

  /** Nothing but zeros. */
  public static Spark flat(int steps) {
    return new Spark(Collections.nCopies(steps, 0L));
  }

  /** The values of both together. */
  public Spark plus(Spark other) {
    List<Long> sums = new ArrayList<>();
    for (int i = 0; i < Math.max(values.size(), other.values.size()); i++) {
      sums.add(valueAt(i) + other.valueAt(i));
    }
    return new Spark(List.copyOf(sums));
  }

  private long valueAt(int step) {
    return step < values.size() ? values.get(step) : 0;
  }

  public int width() {
    return Math.max(1, (values.size() - 1) * STEP);
  }

  public long highest() {
    return values.stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** The value of the last step that is over. */
  public long lastWhole() {
    return values.size() < 2 ? 0 : values.get(values.size() - 2);
  }

  /** The line, one unit away from the edges. */
  public String path() {
    long top = Math.max(1, highest());
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      long y = HEIGHT - 1 - Math.round((HEIGHT - 2.0) * values.get(i) / top);
      path.append(i == 0 ? "M" : " ").append(i * STEP).append(' ').append(y);
    }
    return path.toString();
  }
}
