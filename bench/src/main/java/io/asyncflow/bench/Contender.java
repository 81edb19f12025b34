package io.asyncflow.bench;

/**
 * One way of doing the work of a {@link Contest}.
 *
 * @param <R> what a run is judged by: the time that it took, or the latencies that were seen
 */
interface Contender<R> {

  /** What tells it from the others, as the tables call it. */
  String name();

  /**
   * Does the work and checks that all of it was done; a run that lost or repeated anything has no
   * result. Getting ready and checking do not count.
   *
   * @param units how often to do it, at least 1
   * @throws Exception if it went wrong, which ends the bench
   */
  R run(int units) throws Exception;
}
