package io.asyncflow.flowsvr.lane;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
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

  /** The most lanes that are remembered; then all are forgotten. */
  private static final int MANY = 10_000;

  private final LaneStore store;
  private final TaskFamilies families;
  private final RetryingTransactions transactions;
  private final Node node;
  private final Map<Use, Known> known = new ConcurrentHashMap<>();

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
    Use use = new Use(Set.copyOf(workers), table);
    Known before = known.get(use);
    if (before != null && before.until() - node.nanoTime() > 0) {
      return before.lane();
    }
    SortedSet<String> sorted = new TreeSet<>(workers);
    String lane = null;
    for (int salt = 0; lane == null; salt++) {
      String candidate = Lane.of(sorted, salt);
      lane = transactions.execute(() -> store.use(candidate, sorted, table)) ? candidate : null;
    }
    families.markLanes(table.type());
    if (known.size() >= MANY) {
      known.clear();
    }
    known.put(use, new Known(lane, node.nanoTime() + KNOWN));
    return lane;
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
