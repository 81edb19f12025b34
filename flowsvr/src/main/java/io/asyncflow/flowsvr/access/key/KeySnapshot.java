package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.access.key.AccessKeyStore.Stored;
import io.asyncflow.rules.access.KeySeals;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All keys at one version. Immutable, but for the use that each key notes.
 *
 * @param refused the ids of rows that do not count: their seal is not good, they cannot be read, or
 *     somebody has deleted them
 */
record KeySnapshot(long version, Map<String, KnownKey> keys, Set<String> refused) {

  static final KeySnapshot NOTHING = new KeySnapshot(0, Map.of(), Set.of());

  /** The next snapshot: of these rows, with the uses that this one has noted. */
  KeySnapshot next(long newVersion, List<Stored> rows, KeySeals seals) {
    Map<String, KnownKey> counted = new HashMap<>();
    Set<String> others = new HashSet<>(refused);
    others.addAll(keys.keySet());
    for (Stored stored : rows) {
      String id = stored.row().id();
      others.add(id);
      if (seals.isGood(stored.row(), stored.seal())) {
        KnownKey before = keys.get(id);
        KnownKey.of(stored.row(), before == null ? new KnownKey.Use() : before.use())
            .ifPresent(key -> counted.put(id, key));
      }
    }
    others.removeAll(counted.keySet());
    return new KeySnapshot(newVersion, Map.copyOf(counted), Set.copyOf(others));
  }

  /** {@code null} if there is none. */
  KnownKey find(String id) {
    return keys.get(id);
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
