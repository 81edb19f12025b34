package io.asyncflow.bench.contest;

/**
 * One way of doing the work of a {@link Contest}.
 *
 * @param <R> what a run is judged by: the time that it took, or the latencies that were seen
 */
public interface Contender<R> {

  /** What tells it from the others, as the tables call it. */
  String name();

  /** What else there is to know: how it is set up; empty for nothing. */
  default String conditions() {
    return "";
  }

  /**
   * How much of the work it does. Rates are compared, so a slow one need not keep the others
   * waiting: a part tells as much.
   *
   * @param units how often the others do it
   * @return at least 1
   */
  default int share(int units) {
    return units;
  }

  /**
   * Does the work and checks that all of it was done; a run that lost anything has no result.
   * Getting ready and checking do not count.
   *
   * @param units how often to do it, at least 1
   * @throws Exception if it went wrong, which ends the bench
   */
  R run(int units) throws Exception;

  /** Ends what it keeps running from one round to the next. */
  default void close() throws Exception {}
}
