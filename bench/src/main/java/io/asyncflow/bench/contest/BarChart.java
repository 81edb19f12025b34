package io.asyncflow.bench.contest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Figures side by side.
 *
 * @param axis what they are, with the unit
 * @param names who has them
 * @param series a figure for each name; more than one series stand beside each other
 */
public record BarChart(String axis, List<String> names, Map<String, List<Double>> series) {

  public BarChart {
    names = List.copyOf(names);
    series = new LinkedHashMap<>(series);
  }

  /** One figure for each name. */
  public static BarChart of(String axis, Map<String, Double> figures) {
    return new BarChart(
        axis, new ArrayList<>(figures.keySet()), Map.of(axis, new ArrayList<>(figures.values())));
  }
}
