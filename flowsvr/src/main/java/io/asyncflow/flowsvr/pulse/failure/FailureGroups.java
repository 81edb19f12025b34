package io.asyncflow.flowsvr.pulse.failure;

import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.rules.Fingerprint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
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

  /**
   * @param hour since the epoch
   */
  record Key(String type, long hour, Fingerprint fingerprint) {}

  /**
   * The counts of a group.
   *
   * @param stage and verdict of all its failures; empty without a fingerprint
   * @param last its last failure
   * @param isWritten whether the database has these counts
   */
  record Group(
      String stage,
      String verdict,
      int failures,
      int finals,
      long firstTime,
      FailureNote last,
      boolean isWritten) {

    Group and(FailureNote note) {
      return new Group(
          stage,
          verdict,
          failures + 1,
          finals + (note.isFinal() ? 1 : 0),
          Math.min(firstTime, note.time()),
          note.time() >= last.time() ? note : last,
          false);
    }

    Group written() {
      return new Group(stage, verdict, failures, finals, firstTime, last, true);
    }
  }

  /** Counts a failure; returns its fingerprint. */
  Fingerprint count(FailureNote note) {
    Fingerprint fingerprint = Fingerprint.of(note.stage(), note.verdict(), note.message());
    synchronized (this) {
      long hour = hourOf(note);
      Map<Key, Group> groups = hours.computeIfAbsent(hour, begun -> new HashMap<>());
      String type = note.task().type().name();
      Key key = new Key(type, hour, fingerprint);
      boolean isKept = groups.size() < MOST || groups.containsKey(key);
      groups.merge(
          isKept ? key : new Key(type, hour, Fingerprint.NONE),
          new Group(
              isKept ? note.stage() : Numbers.OTHER_STAGES,
              isKept ? note.verdict() : "",
              1,
              note.isFinal() ? 1 : 0,
              note.time(),
              note,
              false),
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
    List<Map.Entry<Key, Group>> unwritten = new ArrayList<>();
    for (Map<Key, Group> groups : hours.values()) {
      groups.forEach(
          (key, group) -> {
            if (!group.isWritten()) {
              unwritten.add(Map.entry(key, group));
            }
          });
    }
    return unwritten;
  }

  /** These counts were written; forgets what has been written of earlier hours. */
  synchronized void written(List<Map.Entry<Key, Group>> counts) {
    for (Map.Entry<Key, Group> count : counts) {
      hours
          .get(count.getKey().hour())
          .replace(count.getKey(), count.getValue(), count.getValue().written());
    }
    hours
        .headMap(hours.lastKey() - 1)
        .values()
        .removeIf(groups -> groups.values().stream().allMatch(Group::isWritten));
  }
}
