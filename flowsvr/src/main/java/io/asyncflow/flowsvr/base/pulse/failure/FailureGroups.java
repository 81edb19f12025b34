package io.asyncflow.flowsvr.base.pulse.failure;

import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.rules.Fingerprint;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts failures that are alike, by type and hour. At most {@value #MOST} groups of an hour are
 * kept apart; the failures of all others are counted in one group of their type, without a
 * fingerprint. Thread-safe.
 */
final class FailureGroups {

  private static final int MOST = 2_000;

  private final NavigableMap<Long, Map<Key, Group>> hours = new TreeMap<>();

  /** Those whose counts the database does not have. */
  private final Set<Key> unwritten = new HashSet<>();

  /**
   * @param hour since the epoch
   */
  record Key(String type, long hour, Fingerprint fingerprint) {}

  /**
   * The counts of a group.
   *
   * @param stage and verdict of all its failures; empty without a fingerprint
   * @param last its last failure
   */
  record Group(
      String stage, String verdict, int failures, int finals, long firstTime, FailureNote last) {

    Group and(FailureNote note) {
      return new Group(
          stage,
          verdict,
          failures + 1,
          finals + (note.isFinal() ? 1 : 0),
          Math.min(firstTime, note.time()),
          note.time() >= last.time() ? note : last);
    }
  }

  /** Counts a failure; returns its fingerprint. */
  Fingerprint count(FailureNote note) {
    Fingerprint fingerprint = Fingerprint.of(note.stage(), note.verdict(), note.message());
    synchronized (this) {
      long hour = hourOf(note);
      Map<Key, Group> groups = hours.computeIfAbsent(hour, begun -> new HashMap<>());
      String type = note.task().type().name();
      Key own = new Key(type, hour, fingerprint);
      boolean isKept = groups.size() < MOST || groups.containsKey(own);
      Key key = isKept ? own : new Key(type, hour, Fingerprint.NONE);
      unwritten.add(key);
      groups.merge(
          key,
          new Group(
              isKept ? note.stage() : Numbers.OTHER_STAGES,
              isKept ? note.verdict() : "",
              1,
              note.isFinal() ? 1 : 0,
              note.time(),
              note),
          (known, added) -> known.and(note));
    }
    return fingerprint;
  }

  /**
   * The hour that counts the failure. A failure may be noted some seconds after its hour. If the
   * database's clock stepped further back, the counts of that hour are not here any more, and
   * others would replace them in the database: so the hour before the latest one takes it.
   */
  private long hourOf(FailureNote note) {
    long hour = TimeUnit.MILLISECONDS.toHours(note.time());
    return hours.isEmpty() ? hour : Math.max(hour, hours.lastKey() - 1);
  }

  /** The groups whose counts are not written. */
  synchronized List<Map.Entry<Key, Group>> unwritten() {
    return unwritten.stream().map(key -> Map.entry(key, hours.get(key.hour()).get(key))).toList();
  }

  /** These counts were written; forgets what has been written of earlier hours. */
  synchronized void written(List<Map.Entry<Key, Group>> counts) {
    for (Map.Entry<Key, Group> count : counts) {
      Key key = count.getKey();
      if (hours.get(key.hour()).get(key) == count.getValue()) { // nothing was counted since
        unwritten.remove(key);
      }
    }
    hours
        .headMap(hours.lastKey() - 1)
        .keySet()
        .removeIf(hour -> unwritten.stream().noneMatch(key -> key.hour() == hour));
  }
}
