package io.asyncflow.flowsvr.stats.depth;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.stats.depth.DepthStore.Next;
import io.asyncflow.flowsvr.stats.depth.DepthStore.Range;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * How many tasks there are, at a bounded cost: counted up to a limit, and estimated beyond it. The
 * caller reads {@linkplain io.asyncflow.flowsvr.system.db.ReadDatabase#inTurn in turn}.
 * Thread-safe.
 */
@Component
public class Depths {

  /** The most stages and lanes of one status in a table that are looked at. */
  private static final int PLACES = 256;

  /** The most lanes of a stage in a table that are looked at. */
  private static final int LANES = 64;

  private static final Duration ESTIMATES_KEPT = Duration.ofSeconds(30);
  private static final int MOST_ESTIMATES = 1_000;
  private static final int ESTIMATES_AT_ONCE = 5;

  /** Beyond all that are in fact due later. */
  private static final long EVER = Long.MAX_VALUE;

  private final DepthStore store;
  private final DepthEstimate estimate;
  private final Node node;
  private final boolean estimates;
  private final Map<Place, Estimated> estimated = new ConcurrentHashMap<>();

  Depths(DepthStore store, Node node, @Value("${flow.stats.estimate:true}") boolean estimates) {
    this.store = store;
    this.estimate = new DepthEstimate(store::guesses, store::isOver);
    this.node = node;
    this.estimates = estimates;
  }

  private record Estimated(long tasks, long atNanos) {}

  /** Whether numbers beyond the limit of a count are estimated. */
  public boolean estimates() {
    return estimates;
  }

  /**
   * What was found.
   *
   * @param cut the tables in which there is more, or may be
   */
  public record Firsts(List<First> list, Set<TaskTable> cut) {}

  /** The first task of each stage and lane in these tables; of each status apart. */
  public Firsts firsts(Collection<TaskTable> tables, Collection<TaskStatus> statuses) {
    List<Place> next = new ArrayList<>();
    for (TaskTable table : tables) {
      statuses.forEach(status -> next.add(Place.before(table, status)));
    }
    List<First> all = new ArrayList<>();
    Set<TaskTable> cut = new HashSet<>();
    Map<Place, Integer> lanes = new HashMap<>();
    List<Place> remaining = next;
    for (int i = 0; i < PLACES && !remaining.isEmpty(); i++) {
      Next found = store.firstOfNext(remaining);
      all.addAll(found.list());
      found.notAsked().forEach(place -> cut.add(place.table()));
      remaining = new ArrayList<>();
      for (First first : found.list()) {
        Place place = first.place();
        Place stage = new Place(place.table(), place.status(), place.stage(), "");
        boolean hasMany = lanes.merge(stage, 1, Integer::sum) >= LANES;
        if (hasMany) {
          cut.add(place.table());
        }
        remaining.add(hasMany ? behind(stage) : place);
      }
    }
    remaining.forEach(place -> cut.add(place.table()));
    return new Firsts(all, cut);
  }

  /** The lanes of a stage are names in ASCII, so this is behind all of them. */
  private static Place behind(Place stage) {
    return new Place(stage.table(), stage.status(), stage.stage(), "~");
  }

  /**
   * The tasks of each place, up to now or all of them, counted up to a limit.
   *
   * @param limit beyond which a count is {@link BoundedCount.Kind#AT_LEAST}
   */
  public Map<Place, BoundedCount> all(List<First> firsts, int limit) {
    return counted(firsts.stream().map(f -> new Range(f.place(), 0, EVER)).toList(), limit, 1);
  }

  /** The tasks of each place that are due later, counted up to a limit. */
  public Map<Place, BoundedCount> later(List<First> firsts, int limit) {
    return counted(
        firsts.stream().map(f -> new Range(f.place(), f.now() + 1, EVER)).toList(), limit, 0);
  }

  /**
   * The tasks of each place that are due, counted up to a limit and estimated beyond it, if there
   * is time.
   */
  public Map<Place, BoundedCount> due(List<First> firsts, int limit) {
    List<Range> ranges =
        firsts.stream()
            .filter(first -> first.dueMs() >= 0)
            .map(first -> new Range(first.place(), first.orderTime(), first.now() + 1))
            .toList();
    Map<Place, BoundedCount> counts = counted(ranges, limit, 1);
    if (estimates) {
      List<Range> many =
          ranges.stream()
              .filter(range -> counts.get(range.place()).equals(BoundedCount.atLeast(limit)))
              .toList();
      counts.putAll(estimated(many, limit));
    }
    return counts;
  }

  /**
   * @param least what is in each range, for those that there is no time to count
   */
  private Map<Place, BoundedCount> counted(List<Range> ranges, int limit, int least) {
    Map<Place, BoundedCount> counts = new HashMap<>();
    List<Integer> found = store.count(ranges, limit + 1);
    for (int i = 0; i < ranges.size(); i++) {
      BoundedCount count =
          i >= found.size()
              ? BoundedCount.atLeast(least)
              : found.get(i) > limit
                  ? BoundedCount.atLeast(limit)
                  : BoundedCount.exactly(found.get(i));
      counts.put(ranges.get(i).place(), count);
    }
    return counts;
  }

  private Map<Place, BoundedCount> estimated(List<Range> ranges, int limit) {
    long now = node.nanoTime();
    Map<Place, BoundedCount> counts = new HashMap<>();
    List<Range> unknown = new ArrayList<>();
    for (Range range : ranges) {
      Estimated known = estimated.get(range.place());
      if (known != null && now - known.atNanos() < ESTIMATES_KEPT.toNanos()) {
        counts.put(range.place(), BoundedCount.about(Math.max(limit, known.tasks())));
      } else {
        unknown.add(range);
      }
    }
    if (estimated.size() > MOST_ESTIMATES) {
      estimated.clear();
    }
    for (int start = 0; start < unknown.size(); start += ESTIMATES_AT_ONCE) {
      List<Range> some =
          unknown.subList(start, Math.min(start + ESTIMATES_AT_ONCE, unknown.size()));
      List<Long> tasks = estimate.of(some);
      for (int i = 0; i < tasks.size(); i++) {
        estimated.put(some.get(i).place(), new Estimated(tasks.get(i), now));
        counts.put(some.get(i).place(), BoundedCount.about(Math.max(limit, tasks.get(i))));
      }
    }
    return counts;
  }
}
