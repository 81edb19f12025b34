package io.asyncflow.flowsvr.operate.stats.depth;

import com.github.benmanes.caffeine.cache.Cache;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.RecentValues;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.SourceWalk;
import io.asyncflow.flowsvr.task.index.SourceWalk.Heads;
import io.asyncflow.flowsvr.task.index.TaskIndexStore;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * How many tasks there are, at a bounded cost: counted up to a limit, and estimated beyond it. The
 * caller reads {@linkplain io.asyncflow.flowsvr.base.system.db.ReadDatabase#inTurn in turn}.
 * Thread-safe.
 */
@Component
public class Depths {

  private static final Duration ESTIMATES_KEPT = Duration.ofSeconds(30);
  private static final int MOST_ESTIMATES = 1_000;

  /** If the time is over in the middle of them, they have none. */
  private static final int ESTIMATES_AT_ONCE = 40;

  private final TaskIndexStore store;
  private final SourceWalk walk;
  private final DepthEstimate estimate;
  private final boolean estimates;
  private final Cache<Source, Long> estimated;

  @Autowired
  Depths(
      ReadDatabase database, Node node, @Value("${flow.stats.estimate:true}") boolean estimates) {
    this(new TaskIndexStore(database.client(), database::isOver), node, estimates);
  }

  Depths(TaskIndexStore store, Node node, boolean estimates) {
    this.store = store;
    this.walk = new SourceWalk(store);
    this.estimate = new DepthEstimate(store::guesses, store::isOver);
    this.estimated = RecentValues.of(ESTIMATES_KEPT, MOST_ESTIMATES, node);
    this.estimates = estimates;
  }

  /** Whether numbers beyond the limit of a count are estimated. */
  public boolean estimates() {
    return estimates;
  }

  /** The first task of each stage and lane in these tables; of each status apart. */
  public Heads firsts(Collection<TaskTable> tables, Collection<TaskStatus> statuses) {
    return walk.heads(
        tables.stream()
            .flatMap(table -> statuses.stream().map(status -> Source.before(table, status)))
            .toList(),
        Integer.MAX_VALUE);
  }

  /**
   * The tasks of each place, up to now or all of them, counted up to a limit.
   *
   * @param limit beyond which a count is {@link BoundedCount.Kind#AT_LEAST}
   */
  public Map<Source, BoundedCount> all(List<Head> firsts, int limit) {
    return counted(firsts.stream().map(head -> new Range(head.source(), 0)).toList(), limit, 1);
  }

  /** The tasks of each place that are due later, counted up to a limit. */
  public Map<Source, BoundedCount> later(List<Head> firsts, int limit) {
    return counted(
        firsts.stream().map(head -> new Range(head.source(), head.now() + 1)).toList(), limit, 0);
  }

  /**
   * The tasks of each place that are due, counted up to a limit and estimated beyond it, if there
   * is time.
   */
  public Map<Source, BoundedCount> due(List<Head> firsts, int limit) {
    List<Range> ranges =
        firsts.stream()
            .filter(first -> first.lateMs() >= 0)
            .map(first -> new Range(first.source(), first.orderTime(), first.now() + 1))
            .toList();
    Map<Source, BoundedCount> counts = counted(ranges, limit, 1);
    if (estimates) {
      List<Range> many =
          ranges.stream()
              .filter(range -> counts.get(range.source()).equals(BoundedCount.atLeast(limit)))
              .toList();
      counts.putAll(estimated(many, limit));
    }
    return counts;
  }

  /**
   * @param least what is in each range, for those that there is no time to count
   */
  private Map<Source, BoundedCount> counted(List<Range> ranges, int limit, int least) {
    Map<Source, BoundedCount> counts = new HashMap<>();
    List<Integer> found = store.count(ranges, limit + 1);
    for (int i = 0; i < ranges.size(); i++) {
      BoundedCount count =
          i >= found.size()
              ? BoundedCount.atLeast(least)
              : found.get(i) > limit
                  ? BoundedCount.atLeast(limit)
                  : BoundedCount.exactly(found.get(i));
      counts.put(ranges.get(i).source(), count);
    }
    return counts;
  }

  private Map<Source, BoundedCount> estimated(List<Range> ranges, int limit) {
    Map<Source, BoundedCount> counts = new HashMap<>();
    List<Range> unknown = new ArrayList<>();
    for (Range range : ranges) {
      Long known = estimated.getIfPresent(range.source());
      if (known != null) {
        counts.put(range.source(), BoundedCount.about(Math.max(limit, known)));
      } else {
        unknown.add(range);
      }
    }
    for (List<Range> some : StatementGroups.of(unknown, ESTIMATES_AT_ONCE)) {
      List<Long> tasks = estimate.of(some);
      for (int i = 0; i < tasks.size(); i++) {
        estimated.put(some.get(i).source(), tasks.get(i));
        counts.put(some.get(i).source(), BoundedCount.about(Math.max(limit, tasks.get(i))));
      }
    }
    return counts;
  }
}
