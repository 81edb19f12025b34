package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.api.key.DeniedCaller;
import io.asyncflow.flowsvr.edge.access.key.AccessKeyStore.Stored;
import io.asyncflow.rules.access.KeySeals;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/**
 * What a server knows at one version: the keys that have not ended long ago, and the callers that
 * are denied. Immutable, but for what each key counts.
 *
 * @param certified the keys that certificates prove, by the name in the certificate; of several
 *     keys the newest
 * @param denied when denials end, epoch ms, by principal
 * @param changed the principals of keys whose rows somebody has changed without the pepper, or that
 *     cannot be read; not more than {@link #MOST_CHANGED}
 */
record KeySnapshot(
    long version,
    Map<String, KnownKey> keys,
    Map<String, KnownKey> certified,
    Map<String, Long> denied,
    Set<String> changed) {

  /** Whoever writes the tables can make up any number of them. */
  static final int MOST_CHANGED = 1_000;

  static final KeySnapshot NOTHING = new KeySnapshot(0, Map.of(), Map.of(), Map.of(), Set.of());

  private static final Comparator<KnownKey> BY_AGE =
      Comparator.<KnownKey, Boolean>comparing(key -> !key.row().isReplaced())
          .thenComparing(key -> key.row().createTime());

  /**
   * The next snapshot, in which each key goes on with what it has counted.
   *
   * @param rows of all keys but those that ended long ago
   * @param nanos of the monotonic clock
   */
  KeySnapshot next(
      long newVersion, List<Stored> rows, List<DeniedCaller> denials, KeySeals seals, long nanos) {
    Map<String, KnownKey> counted = new HashMap<>();
    Set<String> ignored = new HashSet<>();
    for (Stored stored : rows) {
      String id = stored.row().id();
      Optional<KnownKey> key =
          stored.isGood(seals) ? KnownKey.of(stored.row(), keys.get(id), nanos) : Optional.empty();
      key.ifPresent(good -> counted.put(id, good));
      if (key.isEmpty() && ignored.size() < MOST_CHANGED) {
        ignored.add(KeyGrant.principal(id));
      }
    }
    return new KeySnapshot(
        newVersion,
        Map.copyOf(counted),
        certified(counted.values()),
        denials.stream()
            .collect(
                Collectors.toUnmodifiableMap(DeniedCaller::principal, DeniedCaller::untilTime)),
        Set.copyOf(ignored));
  }

  private static Map<String, KnownKey> certified(Collection<KnownKey> counted) {
    return counted.stream()
        .filter(key -> key.row().limits().certSan() != null)
        .collect(
            Collectors.toUnmodifiableMap(
                key -> key.row().limits().certSan(), key -> key, BinaryOperator.maxBy(BY_AGE)));
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

  /** Whether a caller is refused at this time although its tokens are good. */
  boolean isDenied(String principal, long now) {
    return now < denied.getOrDefault(principal, Long.MIN_VALUE);
  }

  /** Whether what is under way of a caller must end: its key is not live, or it is denied. */
  boolean hasEnded(String principal, long now) {
    if (!KeyGrant.isOfKey(principal)) {
      return isDenied(principal, now);
    }
    KnownKey key = keys.get(KeyGrant.keyIdOf(principal));
    return key == null || !key.row().isLive(now);
  }
}
