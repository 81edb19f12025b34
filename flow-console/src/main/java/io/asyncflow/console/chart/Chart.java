package io.asyncflow.console.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Numbers over time, to be drawn and to be read as a table.
 *
 * @param name the key of its title
 * @param isOfDurations whether its numbers are milliseconds, and not counts
 * @param from epoch ms of the first step
 * @param areas below the curves
 */
public record Chart(
    String name,
    boolean isOfDurations,
    long from,
    long stepMs,
    Scale scale,
    List<Area> areas,
    List<Curve> curves) {

  /**
   * @param look how it is drawn: {@code whole}, {@code dashed}, {@code thin}, {@code bar} or {@code
   *     bar-two}
   * @param name the key of what it is
   * @param values one for each step; {@code null} for unknown ones
   */
  public record Curve(String name, String look, String path, List<Long> values) {

    /** What is known of it. */
    public Stream<Long> known() {
      return values.stream().filter(Objects::nonNull);
    }

    public long sum() {
      return known().mapToLong(Long::longValue).sum();
    }

    public long highest() {
      return known().mapToLong(Long::longValue).max().orElse(0);
    }

    /** The latest value that is known; {@code null} if there is none. */
    public Long latest() {
      return known().reduce((earlier, later) -> later).orElse(null);
    }
  }

  /** A coloured area. */
  public record Area(String path) {}

  /** Two counts as lines: the first one whole, the other one dashed. */
  public static Chart lines(
      String name, long from, long stepMs, String one, String other, Map<String, List<Long>> of) {
    List<Long> ones = of.get(one);
    List<Long> others = of.get(other);
    Scale scale = Scale.ofCounts(Math.max(highest(ones), highest(others)));
    List<Curve> curves = List.of(curve(one, "whole", of, scale), curve(other, "dashed", of, scale));
    return new Chart(name, false, from, stepMs, scale, List.of(), curves);
  }

  private static Curve curve(String name, String look, Map<String, List<Long>> of, Scale scale) {
    return new Curve(name, look, Shapes.line(of.get(name), scale), of.get(name));
  }

  /** Percentiles of durations: an area from the lowest to the highest, and a line for each. */
  public static Chart band(String name, long from, long stepMs, Map<String, List<Long>> of) {
    List<Long> p50 = of.get("p50");
    List<Long> p99 = of.get("p99");
    Scale scale = Scale.ofDurations(highest(p99));
    List<Area> areas = List.of(new Area(Shapes.area(p50, p99, scale)));
    List<Curve> curves =
        List.of(
            curve("p50", "dashed", of, scale),
            curve("p95", "whole", of, scale),
            curve("p99", "thin", of, scale));
    return new Chart(name, true, from, stepMs, scale, areas, curves);
  }

  /** Two counts as bars, the second one on the first. */
  public static Chart bars(
      String name, long from, long stepMs, String lower, String upper, Map<String, List<Long>> of) {
    List<Long> lowers = of.get(lower);
    List<Long> uppers = of.get(upper);
    List<Long> sums = new ArrayList<>();
    for (int i = 0; i < lowers.size(); i++) {
      sums.add(orZero(lowers.get(i)) + orZero(uppers.get(i)));
    }
    Scale scale = Scale.ofCounts(highest(sums));
    List<Long> ground = lowers.stream().map(each -> 0L).toList();
    List<Curve> curves =
        List.of(
            new Curve(lower, "bar", Shapes.bars(ground, lowers, scale), lowers),
            new Curve(upper, "bar-two", Shapes.bars(lowers, uppers, scale), uppers));
    return new Chart(name, false, from, stepMs, scale, List.of(), curves);
  }

  private static long highest(List<Long> values) {
    return values.stream().filter(Objects::nonNull).mapToLong(Long::longValue).max().orElse(0);
  }

  private static long orZero(Long value) {
    return value == null ? 0 : value;
  }

  public int steps() {
    return curves.get(0).values().size();
  }

  /** Whether nothing is known, or nothing happened. */
  public boolean isEmpty() {
    return curves.stream()
        .allMatch(
            curve -> isOfDurations ? curve.known().findAny().isEmpty() : curve.highest() == 0);
  }

  /** The width of its drawing, in the units of {@link Scale#HEIGHT}. */
  public int width() {
    return steps() * Shapes.STEP;
  }

  public long time(int step) {
    return from + step * stepMs;
  }

  /** The end of the last step. */
  public long to() {
    return time(steps());
  }
}
