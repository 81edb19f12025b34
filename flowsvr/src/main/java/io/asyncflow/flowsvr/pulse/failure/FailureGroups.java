package io.asyncflow.flowsvr.pulse.failure;

import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.rules.Fingerprint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts failures that are alike, by type and hour. At most {@value #MOST} groups are kept apart;
 * the failures of all others are counted in one group of their type, without a fingerprint.
 * Thread-safe.
 */
final class FailureGroups {

  private static final int MOST = 2_000;

  private final Map<Key, Group> groups = new HashMap<>();
  private long latestHour;

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
    Key key = keyOf(note, fingerprint);
    synchronized (this) {
      latestHour = Math.max(latestHour, key.hour());
      boolean isKept = groups.size() < MOST || groups.containsKey(key);
      groups.merge(
          isKept ? key : keyOf(note, Fingerprint.NONE),
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

  private static Key keyOf(FailureNote note, Fingerprint fingerprint) {
    long hour = TimeUnit.MILLISECONDS.toHours(note.time());
    return new Key(note.task().type().name(), hour, fingerprint);
  }

  /** The groups whose counts are not written. */
  synchronized List<Map.Entry<Key, Group>> unwritten() {
    List<Map.Entry<Key, Group>> unwritten = new ArrayList<>();
    groups.forEach(
        (key, group) -> {
          if (!group.isWritten()) {
            unwritten.add(Map.entry(key, group));
          }
        });
    return unwritten;
  }

  /** These counts were written; forgets what has been written of earlier hours. */
  synchronized void written(List<Map.Entry<Key, Group>> counts) {
    counts.forEach(
        count -> groups.replace(count.getKey(), count.getValue(), count.getValue().written()));
    groups.entrySet().removeIf(group -> group.getValue().isWritten() && isOver(group.getKey()));
  }

  /** A failure may be noted some seconds after its hour. */
  private boolean isOver(Key key) {
    return key.hour() < latestHour - 1;
  }
}
