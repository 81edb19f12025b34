package io.asyncflow.flowsvr.due;

/**
 * The tasks of a source that are due at a given time or later.
 *
 * @param from epoch ms on the database's clock
 */
public record Range(Source source, long from) {

  private static final long BEGINNING = Long.MIN_VALUE;

  public static Range whole(Source source) {
    return new Range(source, BEGINNING);
  }

  boolean isWhole() {
    return from == BEGINNING;
  }
}
