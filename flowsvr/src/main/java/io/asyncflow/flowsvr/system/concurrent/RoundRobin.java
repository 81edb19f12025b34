package io.asyncflow.flowsvr.system.concurrent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

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
    List<T> sorted = elements.stream().sorted().toList();
    int start = 0;
    while (previous != null
        && start < sorted.size()
        && sorted.get(start).compareTo(previous) <= 0) {
      start++;
    }
    List<T> round = new ArrayList<>(limit);
    for (int i = 0; i < limit; i++) {
      round.add(sorted.get((start + i) % sorted.size()));
    }
    previous = round.get(limit - 1);
    return round;
  }
}
