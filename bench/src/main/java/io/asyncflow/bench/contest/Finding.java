package io.asyncflow.bench.contest;

import java.util.Locale;

/**
 * A line of the last tables.
 *
 * @param what as {@code lives/s: flowsvr against raw JDBC}
 * @param target what it should be, as {@code ≥ 0.55 ×}; empty if nothing is aimed at
 * @param figure what it is, with its unit
 * @param verdict whether that is so; a disturbed one says so, too
 */
public record Finding(String what, String target, String figure, String verdict) {

  private static final String MET = "met";
  private static final String MISSED = "MISSED";

  /** Something to know, with no target. */
  public static Finding of(String what, String figure) {
    return new Finding(what, "", figure, "");
  }

  /** The more, the better; without a target where it is not positive. */
  public static Finding atLeast(double wanted, String what, double value, String unit) {
    return wanted > 0
        ? new Finding(what, "≥ " + in(unit, wanted), in(unit, value), verdict(value >= wanted))
        : of(what, in(unit, value));
  }

  /** The less, the better. */
  public static Finding atMost(double wanted, String what, double value, String unit) {
    return new Finding(what, "≤ " + in(unit, wanted), in(unit, value), verdict(value <= wanted));
  }

  public boolean hasTarget() {
    return !target.isEmpty();
  }

  /** As a row of a table in Markdown, of three columns without a target and of four with one. */
  public String row() {
    return hasTarget()
        ? "| %s | %s | %s | %s |\n".formatted(what, target, figure, verdict)
        : "| %s | %s | %s |\n".formatted(what, figure, verdict);
  }

  /** The same, of rounds that others disturbed. */
  public Finding disturbed() {
    return new Finding(what, target, figure, (verdict + " (disturbed)").trim());
  }

  private static String verdict(boolean met) {
    return met ? MET : MISSED;
  }

  private static String in(String unit, double value) {
    return String.format(Locale.ROOT, "%.2f %s", value, unit);
  }
}
