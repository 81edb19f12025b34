package io.asyncflow.flowsvr.lane;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
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
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

/**
 * Finds the lane of a set of workers, and makes it if it is new. Thread-safe.
 *
 * <p>A lane that was asked for within the last hour costs no statement.
 */
@Service
public class Lanes {

  private static final long KNOWN = Duration.ofHours(1).toNanos();

  /** The most names of workers whose lanes are remembered; then all are forgotten. */
  private static final int MOST_NAMES = 50_000;

  private final LaneStore store;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final Node node;
  private final Map<Use, Known> known = new ConcurrentHashMap<>();
  private int names; // of the known lanes; guarded by this

  Lanes(LaneStore store, TaskFamilies families, RetryingTransactions transactions, Node node) {
    this.store = store;
    this.families = families;
    this.transactions = transactions;
    this.node = node;
  }

  private record Use(Set<String> workers, TaskTable table) {}

  private record Known(String lane, long until) {}

  /**
   * The lane of these workers. When this returns, claims of all servers find tasks that are put
   * into the lane of the table. Must be called before the transaction that does so.
   *
   * @param workers at most {@value Lane#WORKERS}; empty for the open lane
   */
  public String of(Set<String> workers, TaskTable table) {
    if (workers.isEmpty()) {
      return Lane.OPEN;
    }
    return ofEach(Set.of(workers), table).get(workers);
  }

  /**
   * The lanes of these sets of workers, none of which is empty. As {@link #of(Set, TaskTable)}, in
   * one transaction.
   */
  public Map<Set<String>, String> ofEach(Set<Set<String>> sets, TaskTable table) {
    Map<Set<String>, String> lanes = new HashMap<>();
    List<SortedSet<String>> unknown = new ArrayList<>();
    for (Set<String> workers : sets) {
      Known before = known.get(new Use(workers, table));
      if (isFresh(before)) {
        lanes.put(workers, before.lane());
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
    made.forEach((workers, lane) -> remember(new Use(workers, table), lane));
    lanes.putAll(made);
    return lanes;
  }

  private boolean isFresh(Known before) {
    return before != null && before.until() - node.nanoTime() > 0;
  }

  private String use(SortedSet<String> workers, TaskTable table) {
    for (int salt = 0; ; salt++) {
      String lane = Lane.of(workers, salt);
      if (store.use(lane, workers, table)) {
        return lane;
      }
    }
  }

  private synchronized void remember(Use use, String lane) {
    names += use.workers().size();
    if (names > MOST_NAMES) {
      known.clear();
      names = use.workers().size();
    }
    known.put(use, new Known(lane, node.nanoTime() + KNOWN));
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
