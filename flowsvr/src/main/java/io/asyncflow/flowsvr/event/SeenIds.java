package io.asyncflow.flowsvr.event;

import io.asyncflow.flowsvr.event.log.EventStore.Range;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which ids of a day were read, and which are missing between them. Not thread-safe. */
final class SeenIds {

  /** The missing ids from a key of {@link #gaps} on, and when they were first missed. */
  private record Gap(long to, long since) {}

  private final TreeMap<Long, Gap> gaps = new TreeMap<>();
  private long last;

  /**
   * @param last the id below which nothing is missing
   */
  SeenIds(long last) {
    this.last = last;
  }

  /**
   * An event with this id was read.
   *
   * @param now ns, monotonic
   * @return whether it was not read before
   */
  boolean see(long id, long now) {
    if (id > last) {
      if (id > last + 1) {
        gaps.put(last + 1, new Gap(id - 1, now));
      }
      last = id;
      return true;
    }
    return fill(id);
  }

  private boolean fill(long id) {
    Map.Entry<Long, Gap> found = gaps.floorEntry(id);
    if (found == null || found.getValue().to() < id) {
      return false;
    }
    long from = found.getKey();
    Gap gap = found.getValue();
    gaps.remove(from);
    if (from < id) {
      gaps.put(from, new Gap(id - 1, gap.since()));
    }
    if (id < gap.to()) {
      gaps.put(id + 1, new Gap(gap.to(), gap.since()));
    }
    return true;
  }

  /** Closes the gaps that were first missed before this time: nothing can fill them any more. */
  void closeMissedBefore(long time) {
    gaps.values().removeIf(gap -> gap.since() - time < 0);
  }

  /** The id up to which nothing is missing. */
  long stable() {
    return gaps.isEmpty() ? last : gaps.firstKey() - 1;
  }

  /** The highest id that was read. */
  long last() {
    return last;
  }

  /** The missing ids. */
  List<Range> gaps() {
    return gaps.entrySet().stream()
        .map(gap -> new Range(gap.getKey(), gap.getValue().to()))
        .toList();
  }
}
