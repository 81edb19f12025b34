package io.asyncflow.flowsvr.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing sequence short by leaving out what it fails without. */
final class Shrinker {

  private Shrinker() {}

  /**
   * The sequence with as many steps left out as possible: it still fails, and would not if any one
   * more were left out.
   *
   * @param fails whether a sequence fails; true for {@code failing}
   */
  static <T> List<T> shrink(List<T> failing, Predicate<List<T>> fails) {
    List<T> shrunk = failing;
    int chunk = Math.max(1, failing.size() / 2);
    while (true) {
      List<T> before = shrunk;
      for (int from = shrunk.size() - chunk; from > -chunk; from -= chunk) {
        List<T> candidate = without(shrunk, Math.max(0, from), from + chunk);
        if (candidate.size() < shrunk.size() && fails.test(candidate)) {
          shrunk = candidate;
        }
      }
      if (chunk > 1) {
        chunk /= 2;
      } else if (shrunk.size() == before.size()) {
        return shrunk;
      }
    }
  }

  private static <T> List<T> without(List<T> items, int from, int to) {
    List<T> rest = new ArrayList<>(items.subList(0, from));
    rest.addAll(items.subList(Math.min(to, items.size()), items.size()));
    return rest;
  }
}
