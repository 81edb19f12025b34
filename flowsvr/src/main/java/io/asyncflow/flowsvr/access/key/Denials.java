package io.asyncflow.flowsvr.access.key;

import io.asyncflow.rules.access.KeySeals;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The callers that are refused although their tokens are good, as a server knows them. A row
 * without a good seal denies its caller without an end: whoever can only write the table lets
 * nobody in by it. Immutable.
 *
 * @param until epoch ms, by principal
 * @param changed the callers whose rows were changed by SQL; not more than {@link #MOST_CHANGED}
 */
record Denials(Map<String, Long> until, Set<String> changed) {

  static final Denials NONE = new Denials(Map.of(), Set.of());

  /** Whoever writes the table can make up any number of them. */
  private static final int MOST_CHANGED = 1_000;

  private static final long NO_END = Long.MAX_VALUE;

  /**
   * A row as it was read.
   *
   * @param until epoch ms
   * @param seal {@code null} if it has none
   */
  record Denial(String principal, long until, byte[] seal) {

    boolean isGood(KeySeals seals) {
      return seals.isGood(sealed(principal, until), seal);
    }

    boolean isInForce(KeySeals seals, long now) {
      return now < until || !isGood(seals);
    }
  }

  /** What the seal of a row covers. */
  static List<Object> sealed(String principal, long until) {
    return Arrays.asList("denied", principal, until);
  }

  static Denials of(Collection<Denial> rows, KeySeals seals) {
    Map<String, Long> until = new HashMap<>();
    Set<String> changed = new HashSet<>();
    for (Denial row : rows) {
      boolean isGood = row.isGood(seals);
      until.put(row.principal(), isGood ? row.until() : NO_END);
      if (!isGood && changed.size() < MOST_CHANGED) {
        changed.add(row.principal());
      }
    }
    return new Denials(Map.copyOf(until), Set.copyOf(changed));
  }

  boolean has(String principal, long now) {
    return now < until.getOrDefault(principal, Long.MIN_VALUE);
  }

  /** The callers that are denied at this time. */
  Set<String> at(long now) {
    return until.keySet().stream()
        .filter(principal -> has(principal, now))
        .collect(Collectors.toSet());
  }
}
