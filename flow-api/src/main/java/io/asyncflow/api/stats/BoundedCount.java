package io.asyncflow.api.stats;

/** A number of tasks that was found at a bounded cost, and how exact it is. */
public record BoundedCount(long count, Kind kind) {

  /** How exact a count is. */
  public enum Kind {
    EXACT,
    /** There are more, or just as many. */
    AT_LEAST,
    /** An estimate of the database, with two digits. */
    ABOUT
  }

  public static final BoundedCount ZERO = exactly(0);

  public static BoundedCount exactly(long count) {
    return new BoundedCount(count, Kind.EXACT);
  }

  public static BoundedCount atLeast(long count) {
    return new BoundedCount(count, Kind.AT_LEAST);
  }

  /** An estimate, rounded to two digits. */
  public static BoundedCount about(long estimate) {
    long unit = 1;
    while (estimate / unit >= 100) {
      unit *= 10;
    }
    return new BoundedCount((estimate + unit / 2) / unit * unit, Kind.ABOUT);
  }

  /**
   * Both together: as exact as the less exact one, where a lower bound is less than an estimate.
   */
  public BoundedCount plus(BoundedCount other) {
    long sum = count + other.count;
    if (kind == Kind.AT_LEAST || other.kind == Kind.AT_LEAST) {
      return atLeast(sum);
    }
    return kind == Kind.EXACT && other.kind == Kind.EXACT ? exactly(sum) : about(sum);
  }
}
