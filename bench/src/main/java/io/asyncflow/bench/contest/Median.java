package io.asyncflow.bench.contest;

import java.util.List;

/** The value in the middle, which one bad round does not move. */
public final class Median {

  private Median() {}

  /** Of an even number of values, the mean of the two in the middle. */
  public static double of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
