package io.asyncflow.console.chart;

import java.util.ArrayList;
import java.util.List;
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
      String name,
      long from,
      long stepMs,
      String one,
      List<Long> ones,
      String other,
      List<Long> others) {
    Scale scale = Scale.ofCounts(Math.max(highest(ones), highest(others)));
    return new Chart(
        name,
        false,
        from,
        stepMs,
        scale,
        List.of(),
        List.of(
            new Curve(one, "whole", Shapes.line(ones, scale), ones),
            new Curve(other, "dashed", Shapes.line(others, scale), others)));
  }

  /** Percentiles of durations: an area from the lowest to the highest, and a line for each. */
  public static Chart band(
      String name, long from, long stepMs, List<Long> p50, List<Long> p95, List<Long> p99) {
    Scale scale = Scale.ofDurations(highest(p99));
    return new Chart(
        name,
        true,
        from,
        stepMs,
        scale,
        List.of(new Area(Shapes.area(p50, p99, scale))),
        List.of(
            new Curve("p50", "dashed", Shapes.line(p50, scale), p50),
            new Curve("p95", "whole", Shapes.line(p95, scale), p95),
            new Curve("p99", "thin", Shapes.line(p99, scale), p99)));
  }

  /** Two counts as bars, the second one on the first. */
  public static Chart bars(
      String name,
      long from,
      long stepMs,
      String lower,
      List<Long> lowers,
      String upper,
      List<Long> uppers) {
    List<Long> sums = new ArrayList<>();
    for (int i = 0; i < lowers.size(); i++) {
      sums.add(orZero(lowers.get(i)) + orZero(uppers.get(i)));
    }
    Scale scale = Scale.ofCounts(highest(sums));
    List<Long> ground = lowers.stream().map(each -> 0L).toList();
    return new Chart(
        name,
        false,
        from,
        stepMs,
        scale,
        List.of(),
        List.of(
            new Curve(lower, "bar", Shapes.bars(ground, lowers, scale), lowers),
            new Curve(upper, "bar-two", Shapes.bars(lowers, uppers, scale), uppers)));
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
