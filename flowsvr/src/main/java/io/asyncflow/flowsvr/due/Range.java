package io.asyncflow.flowsvr.due;

/**
 * The tasks of a source that are due from some time on.
 *
 * @param from epoch ms on the database's clock
 */
public record Range(Source source, long from) {

  private static final long EVER = Long.MIN_VALUE;

  public static Range whole(Source source) {
    return new Range(source, EVER);
  }

  boolean isWhole() {
    return from == EVER;
  }
}
