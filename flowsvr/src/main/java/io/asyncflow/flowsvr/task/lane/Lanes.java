package io.asyncflow.flowsvr.task.lane;

import static java.util.stream.Collectors.toMap;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.stereotype.Service;

/**
 * Finds the lane of a set of workers, and makes it if it is new. Thread-safe.
 *
 * <p>A lane that was asked for within the last hour costs no statement.
 */
@Service
public class Lanes {

  private static final Duration KNOWN = Duration.ofHours(1);

  /** The most names of workers whose lanes are remembered. */
  private static final int MOST_NAMES = 50_000;

  private final LaneStore store;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final Cache<Use, String> known;

  Lanes(LaneStore store, TaskFamilies families, RetryingTransactions transactions, Node node) {
    this.store = store;
    this.families = families;
    this.transactions = transactions;
    this.known =
        Caffeine.newBuilder()
            .expireAfterWrite(KNOWN)
            .maximumWeight(MOST_NAMES)
            .weigher((Use use, String lane) -> use.workers().size())
            .ticker(node::nanoTime)
            .executor(Runnable::run)
            .build();
  }

  private record Use(Set<String> workers, TaskTable table) {}

  /**
   * The lane of these workers. When this returns, claims of all servers find tasks that are put
   * into the lane of the table. Must be called before the transaction that does so.
   *
   * @param workers at most {@value Lane#WORKERS}; empty for the open lane
   */
  public String of(Set<String> workers, TaskTable table) {
    return ofEach(Set.of(workers), table).get(workers);
  }

  /** The lanes of these sets of workers. As {@link #of(Set, TaskTable)}, in one transaction. */
  public Map<Set<String>, String> ofEach(Set<Set<String>> sets, TaskTable table) {
    Map<Set<String>, String> lanes = new HashMap<>();
    List<SortedSet<String>> unknown = new ArrayList<>();
    for (Set<String> workers : sets) {
      String lane = workers.isEmpty() ? Lane.OPEN : known.getIfPresent(new Use(workers, table));
      if (lane != null) {
        lanes.put(workers, lane);
      } else {
        unknown.add(new TreeSet<>(workers));
      }
    }
    if (unknown.isEmpty()) {
      return lanes;
    }
    unknown.sort(Comparator.comparing(workers -> Lane.of(workers, 0))); // as others lock them
    Map<Set<String>, String> made =
        transactions.execute(
            () -> unknown.stream().collect(toMap(Set::copyOf, workers -> use(workers, table))));
    families.markLanes(table.type());
    made.forEach((workers, lane) -> known.put(new Use(workers, table), lane));
    lanes.putAll(made);
    return lanes;
  }

  private String use(SortedSet<String> workers, TaskTable table) {
    for (int salt = 0; ; salt++) {
      String lane = Lane.of(workers, salt);
      if (store.use(lane, workers, table)) {
        return lane;
      }
    }
  }

  /**
   * Records in the caller's transaction that it puts tasks into the lane of another table.
   *
   * @param lane what {@link #of} has returned for a table of the same type
   */
  public void extend(String lane, TaskTable table) {
    store.insertUse(lane, table);
  }

  /** The workers of a lane of any readable task; empty for the open lane. */
  public Set<String> workersOf(String lane) {
    return lane.equals(Lane.OPEN) ? Set.of() : store.workersOf(lane);
  }
}
