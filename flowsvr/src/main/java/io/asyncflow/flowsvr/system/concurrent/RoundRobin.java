package io.asyncflow.flowsvr.system.concurrent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Bounds a round over what may be too much for one: each round goes on where the one before
 * stopped, and begins anew at the end. What comes and goes meanwhile does no harm.
 *
 * <p>For one thread.
 */
public final class RoundRobin<T extends Comparable<? super T>> {

  private final int most;
  private T last;

  /**
   * @param most how many one round takes
   */
  public RoundRobin(int most) {
    this.most = most;
  }

  /** Those of them whose turn it is, each once; all if they are not too many. */
  public List<T> next(Collection<T> all) {
    if (all.size() <= most) {
      return List.copyOf(all);
    }
    List<T> sorted = all.stream().sorted().toList();
    int from = 0;
    while (last != null && from < sorted.size() && sorted.get(from).compareTo(last) <= 0) {
      from++;
    }
    List<T> next = new ArrayList<>(most);
    for (int i = 0; i < most; i++) {
      next.add(sorted.get((from + i) % sorted.size()));
    }
    last = next.get(most - 1);
    return next;
  }
}
