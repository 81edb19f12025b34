package io.asyncflow.flowsvr.base.system.concurrent;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Splits a large set into bounded rounds: each round continues after the last element of the
 * previous one and wraps around at the end. Elements may appear and disappear between rounds.
 *
 * <p>Not thread-safe.
 */
public final class RoundRobin<T extends Comparable<? super T>> {

  private final int limit;
  private T previous;

  /**
   * @param limit the limit of one round
   */
  public RoundRobin(int limit) {
    this.limit = limit;
  }

  /** The elements of the next round, each once; all of them if they fit. */
  public List<T> next(Collection<T> elements) {
    if (elements.size() <= limit) {
      return List.copyOf(elements);
    }
    TreeSet<T> sorted = new TreeSet<>(elements);
    Collection<T> after = previous == null ? sorted : sorted.tailSet(previous, false);
    List<T> round = Stream.concat(after.stream(), sorted.stream()).limit(limit).toList();
    previous = round.get(limit - 1);
    return round;
  }
}
