package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.access.key.AccessKeyStore.Stored;
import io.asyncflow.rules.access.KeySeals;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The keys at one version that have not ended long ago. Immutable, but for what each key counts.
 *
 * @param certified the keys that certificates prove, by the name in the certificate; of several
 *     keys the newest
 * @param refused the ids of rows that do not count: their seal is not good, they cannot be read, or
 *     somebody has deleted them since the snapshot before; not more than {@link #MOST_REFUSED}
 */
record KeySnapshot(
    long version,
    Map<String, KnownKey> keys,
    Map<String, KnownKey> certified,
    Set<String> refused) {

  /** Whoever writes the table can make up any number of them. */
  static final int MOST_REFUSED = 1_000;

  static final KeySnapshot NOTHING = new KeySnapshot(0, Map.of(), Map.of(), Set.of());

  private static final Comparator<KnownKey> BY_AGE =
      Comparator.<KnownKey, Boolean>comparing(key -> key.row().replacedBy() == null)
          .thenComparing(key -> key.row().createTime());

  /**
   * The next snapshot, in which each key goes on with what it has counted.
   *
   * @param rows of all keys but those that ended before {@code since}
   * @param since epoch ms
   * @param nanos of the monotonic clock
   */
  KeySnapshot next(long newVersion, List<Stored> rows, long since, KeySeals seals, long nanos) {
    Map<String, KnownKey> counted = new HashMap<>();
    Set<String> bad = new LinkedHashSet<>();
    for (Stored stored : rows) {
      String id = stored.row().id();
      Optional<KnownKey> key =
          seals.isGood(stored.row(), stored.seal())
              ? KnownKey.of(stored.row(), keys.get(id), nanos)
              : Optional.empty();
      key.ifPresentOrElse(good -> counted.put(id, good), () -> bad.add(id));
    }
    return new KeySnapshot(
        newVersion,
        Map.copyOf(counted),
        certified(counted.values()),
        refused(counted.keySet(), bad, since));
  }

  /**
   * At first those that counted before, whose calls are to end, and then those that were refused
   * before, so that none of them is told of twice.
   */
  private Set<String> refused(Set<String> counted, Set<String> bad, long since) {
    Stream<String> lost =
        keys.values().stream()
            .filter(key -> key.row().endTime() >= since)
            .map(key -> key.row().id())
            .filter(id -> !counted.contains(id));
    return Stream.of(lost, refused.stream().filter(bad::contains), bad.stream())
        .flatMap(ids -> ids)
        .distinct()
        .limit(MOST_REFUSED)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Map<String, KnownKey> certified(Collection<KnownKey> counted) {
    return counted.stream()
        .filter(key -> key.row().certSan() != null)
        .collect(
            Collectors.toUnmodifiableMap(
                key -> key.row().certSan(), key -> key, BinaryOperator.maxBy(BY_AGE)));
  }

  /** {@code null} if there is none. */
  KnownKey find(String id) {
    return keys.get(id);
  }

  /**
   * The key of the first name that has a live one, or else of the first that has any; {@code null}
   * if none has.
   */
  KnownKey findCertified(List<String> names, long now) {
    KnownKey first = null;
    for (String name : names) {
      KnownKey key = certified.get(name);
      if (key != null && key.row().isLive(now)) {
        return key;
      }
      first = first == null ? key : first;
    }
    return first;
  }

  Collection<KnownKey> all() {
    return keys.values();
  }

  /** Whether some key grants everything at this time. */
  boolean hasAdmin(long now) {
    return all().stream().anyMatch(key -> key.grantsAll() && key.row().isLive(now));
  }

  /** The principals whose keys are not live at this time, as a set of the caller's. */
  Set<String> ended(long now) {
    Set<String> ended =
        all().stream()
            .filter(key -> !key.row().isLive(now))
            .map(key -> key.caller().principal())
            .collect(Collectors.toCollection(HashSet::new));
    refused.forEach(id -> ended.add(KeyGrant.principal(id)));
    return ended;
  }
}
