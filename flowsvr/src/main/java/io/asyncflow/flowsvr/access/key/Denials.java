package io.asyncflow.flowsvr.access.key;

import io.asyncflow.rules.access.KeySeals;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The callers that are refused although their tokens are good, as a server knows them. Whoever can
 * write the table lets nobody in: a row without a good seal denies its caller without an end, and
 * one that was deleted, or put back to what it was before, goes on until its time. Immutable.
 *
 * @param until epoch ms, by principal
 * @param forged the callers whose rows were changed or deleted by SQL; not more than {@link
 *     #MOST_FORGED}
 * @param readAt the database's time when the rows were read, epoch ms
 */
record Denials(Map<String, Long> until, Set<String> forged, long readAt) {

  static final Denials NONE = new Denials(Map.of(), Set.of(), 0);

  /** Whoever writes the table can make up any number of them. */
  static final int MOST_FORGED = 1_000;

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

  /**
   * The denials of all rows, and of those that are not there any more: servers delete none before
   * it is long over.
   *
   * @param now epoch ms
   */
  Denials next(Collection<Denial> rows, KeySeals seals, long now) {
    Map<String, Long> next = new HashMap<>();
    Set<String> bad = new LinkedHashSet<>();
    for (Denial row : rows) {
      String principal = row.principal();
      if (!row.isGood(seals)) {
        next.put(principal, NO_END);
        bad.add(principal);
      } else if (isPutBack(row, now)) {
        next.put(principal, until.get(principal));
        bad.add(principal);
      } else {
        next.put(principal, row.until());
      }
    }
    until.forEach(
        (principal, end) -> {
          if (now < end && next.putIfAbsent(principal, end) == null) {
            bad.add(principal);
          }
        });
    Set<String> told = bad.stream().limit(MOST_FORGED).collect(Collectors.toUnmodifiableSet());
    return new Denials(Map.copyOf(next), told, now);
  }

  /**
   * Whether a row is of an earlier denial than the one that is known. No server writes an end that
   * is over when it writes it, so one that was over at the last read was written before that.
   */
  private boolean isPutBack(Denial row, long now) {
    return has(row.principal(), now)
        && row.until() < until.get(row.principal())
        && row.until() < readAt;
  }

  boolean has(String principal, long now) {
    Long end = until.get(principal);
    return end != null && now < end;
  }

  /** The callers that are denied at this time. */
  Set<String> at(long now) {
    return until.keySet().stream()
        .filter(principal -> has(principal, now))
        .collect(Collectors.toSet());
  }
}
