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
import java.util.OptionalLong;
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
  private static final int MOST_WALKS = 1_000;

  /** If the time is over in the middle of them, they have none. */
  private static final int ESTIMATES_AT_ONCE = 40;

  /** Beyond all that are in fact due later. */
  private static final long EVER = Long.MAX_VALUE;

  private final DepthStore store;
  private final DepthEstimate estimate;
  private final Node node;
  private final boolean estimates;
  private final Map<Place, Estimated> estimated = new ConcurrentHashMap<>();

  /** The places that were found the last time, by where the way began. */
  private final Map<Place, List<Place>> passed = new ConcurrentHashMap<>();

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
  public record Firsts(List<First> list, Set<TaskTable> cut) {

    /** The database's epoch ms when they were read; empty if there is none. */
    public OptionalLong now() {
      return list.stream().mapToLong(First::now).findFirst();
    }
  }

  /** Goes through the stages and lanes of one status in a table, each time to the next one. */
  private static final class Walk {
    private final Place begin;
    private final List<Place> passed = new ArrayList<>();
    private Place at;
    private String stage;
    private int lanes;

    private Walk(Place begin) {
      this.begin = begin;
      this.at = begin;
    }

    /** Goes on; false if there are more lanes in the stage than are looked at. */
    private boolean to(Place next) {
      lanes = next.stage().equals(stage) ? lanes + 1 : 1;
      stage = next.stage();
      boolean hasMany = lanes >= LANES;
      at = hasMany ? behind(new Place(next.table(), next.status(), next.stage(), "")) : next;
      passed.add(at);
      return !hasMany;
    }
  }

  /**
   * The first task of each stage and lane in these tables; of each status apart. What follows the
   * places of the last time is asked for together, so there are further questions only where a
   * stage or a lane is new.
   */
  public Firsts firsts(Collection<TaskTable> tables, Collection<TaskStatus> statuses) {
    List<Walk> walks = new ArrayList<>();
    for (TaskTable table : tables) {
      statuses.forEach(status -> walks.add(new Walk(Place.before(table, status))));
    }
    List<Place> toAsk = new ArrayList<>();
    for (Walk walk : walks) {
      toAsk.add(walk.begin);
      toAsk.addAll(passed.getOrDefault(walk.begin, List.of()));
    }
    Firsts found = new Firsts(new ArrayList<>(), new HashSet<>());
    Set<Place> asked = new HashSet<>();
    Next answers = new Next(new HashMap<>(), new HashSet<>());
    List<Walk> open = walks;
    while (!open.isEmpty()) {
      Next more = store.firstOfNext(toAsk);
      asked.addAll(toAsk);
      answers.following().putAll(more.following());
      answers.notAsked().addAll(more.notAsked());
      open = goOn(open, asked, answers, found);
      toAsk = open.stream().map(walk -> walk.at).toList();
    }
    if (passed.size() > MOST_WALKS) {
      passed.clear();
    }
    walks.forEach(walk -> passed.put(walk.begin, List.copyOf(walk.passed)));
    return found;
  }

  /** Goes as far as the answers lead; returns the walks for which another one is needed. */
  private static List<Walk> goOn(List<Walk> walks, Set<Place> asked, Next answers, Firsts found) {
    List<Walk> open = new ArrayList<>();
    for (Walk walk : walks) {
      First first = null;
      do {
        first = answers.following().get(walk.at);
        if (first != null) {
          found.list().add(first);
          if (!walk.to(first.place())) {
            found.cut().add(walk.begin.table());
          }
        }
      } while (first != null && walk.passed.size() < PLACES);
      if (walk.passed.size() >= PLACES || answers.notAsked().contains(walk.at)) {
        found.cut().add(walk.begin.table());
      } else if (!asked.contains(walk.at)) {
        open.add(walk);
      }
    }
    return open;
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
