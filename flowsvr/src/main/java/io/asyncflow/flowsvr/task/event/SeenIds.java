package io.asyncflow.flowsvr.task.event;

import io.asyncflow.flowsvr.base.system.db.IdStep;
import io.asyncflow.flowsvr.task.event.log.EventStore.Range;
import io.asyncflow.flowsvr.task.event.log.EventStore.Remainder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which ids of a day were read, and which are missing between them. Not thread-safe. */
final class SeenIds {

  /** The missing ids of a step from a key of {@link #gaps} on, and when they were first missed. */
  private record Gap(long to, long since, IdStep step) {}

  /**
   * The step by which the ids above a key of {@link #stretches}, up to the next key, are missed;
   * and when the key was the last id.
   */
  private record Stretch(IdStep step, long since) {}

  private final TreeMap<Long, Gap> gaps = new TreeMap<>();
  private final TreeMap<Long, Stretch> stretches = new TreeMap<>();

  /**
   * The ids above the first stretch's key that were found although its step does not reach them.
   */
  private final TreeSet<Long> strays = new TreeSet<>();

  private long last;

  /**
   * @param last the id below which nothing is missing
   */
  SeenIds(long last, IdStep step) {
    this.last = last;
    stretches.put(last, new Stretch(step, 0));
  }

  /**
   * An event with this id was read.
   *
   * @param now ns, monotonic
   * @return whether it was not read before
   */
  boolean see(long id, long now) {
    if (id <= last) {
      Long from = gapWith(id);
      return from != null && gaps.get(from).step().reaches(id) && cut(from, id);
    }
    IdStep step = stretches.lastEntry().getValue().step();
    miss(last + 1, new Gap(id - 1, now, step));
    last = id;
    if (!step.reaches(id)) {
      strays.add(id);
    }
    return true;
  }

  /** There are events with these ids, of {@link #remainders()}; those that are new become gaps. */
  void find(List<Long> ids, long now) {
    for (long id : ids) {
      if (strays.add(id)) {
        Long from = gapWith(id);
        if (from != null) {
          cut(from, id);
        }
        miss(id, new Gap(id, now, IdStep.ONE));
      }
    }
  }

  private Long gapWith(long id) {
    Map.Entry<Long, Gap> found = gaps.floorEntry(id);
    return found == null || found.getValue().to() < id ? null : found.getKey();
  }

  /** Takes an id out of a gap. */
  private boolean cut(long from, long id) {
    Gap gap = gaps.remove(from);
    miss(from, new Gap(id - 1, gap.since(), gap.step()));
    miss(id + 1, gap);
    return true;
  }

  private void miss(long from, Gap gap) {
    long first = gap.step().ceiling(from);
    long to = gap.step().floor(gap.to());
    if (first <= to) {
      gaps.put(first, new Gap(to, gap.since(), gap.step()));
    }
  }

  /** Closes the gaps that were first missed before this time: nothing can fill them any more. */
  void closeMissedBefore(long time) {
    gaps.values().removeIf(gap -> gap.since() - time < 0);
  }

  /**
   * Ends a round.
   *
   * @param step as it was after the ids of the round were read
   * @param isCertain whether nothing can appear any more that this step does not reach
   * @param now ns, monotonic
   * @param time what was read before it has nothing below it that can appear
   */
  void settle(IdStep step, boolean isCertain, long now, long time) {
    boolean isExact = stretches.values().stream().allMatch(stretch -> isOne(stretch.step()));
    if (isCertain || isExact) {
      stretches.clear();
    } else {
      stretches.entrySet().stream()
          .filter(stretch -> stretch.getValue().since() - time < 0)
          .reduce((one, next) -> next)
          .ifPresent(old -> stretches.headMap(old.getKey()).clear());
    }
    stretches.compute(last, (id, known) -> new Stretch(step, known == null ? now : known.since()));
    strays.headSet(stretches.firstKey(), true).clear();
  }

  /** Where ids that the step does not reach may appear. */
  List<Remainder> remainders() {
    List<Remainder> remainders = new ArrayList<>();
    stretches.forEach(
        (after, stretch) -> {
          Long next = stretches.higherKey(after);
          long to = next == null ? last : next;
          if (!isOne(stretch.step()) && after < to) {
            remainders.add(new Remainder(after, to, stretch.step()));
          }
        });
    return remainders;
  }

  private static boolean isOne(IdStep step) {
    return step.equals(IdStep.ONE);
  }

  /** The id up to which nothing is missing. */
  long stable() {
    long below = gaps.isEmpty() ? last : gaps.firstKey() - 1;
    List<Remainder> remainders = remainders();
    return remainders.isEmpty() ? below : Math.min(below, remainders.get(0).after());
  }

  /** The highest id that was read. */
  long last() {
    return last;
  }

  /**
   * The missing ids.
   *
   * @param most so many ranges; if there are more gaps, near ones share a range
   */
  List<Range> gaps(int most) {
    List<Range> ranges =
        gaps.entrySet().stream().map(gap -> new Range(gap.getKey(), gap.getValue().to())).toList();
    for (long near = 2; ranges.size() > most; near *= 2) {
      ranges = joined(ranges, near);
    }
    return ranges;
  }

  private static List<Range> joined(List<Range> ranges, long near) {
    List<Range> joined = new ArrayList<>();
    for (Range range : ranges) {
      int end = joined.size() - 1;
      if (end >= 0 && range.from() - joined.get(end).to() <= near) {
        joined.set(end, new Range(joined.get(end).from(), range.to()));
      } else {
        joined.add(range);
      }
    }
    return joined;
  }
}
