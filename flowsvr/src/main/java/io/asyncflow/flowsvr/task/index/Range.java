package io.asyncflow.flowsvr.task.index;

/**
 * The tasks of a source that are due in a stretch of time.
 *
 * @param from epoch ms on the database's clock, inclusive
 * @param to epoch ms, exclusive
 */
public record Range(Source source, long from, long to) {

  private static final long BEGINNING = Long.MIN_VALUE;

  /** The tasks that are due at a given time or later. */
  public Range(Source source, long from) {
    this(source, from, Long.MAX_VALUE);
  }

  public static Range whole(Source source) {
    return new Range(source, BEGINNING);
  }

  public boolean isWhole() {
    return from == BEGINNING;
  }
}
