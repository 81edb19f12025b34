package io.asyncflow.flowsvr.task.table.upkeep;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.Comparator.naturalOrder;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.concurrent.RoundRobin;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.table.SchedulePositions;
import io.asyncflow.flowsvr.task.table.TableGroups;
import io.asyncflow.flowsvr.task.table.TableLifeStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Moves begin past tables without unfinished tasks, and creates the next table before the last one
 * is full.
 *
 * <p>A create may still be in progress in a table that is no longer the end. Its INSERT first takes
 * a shared lock on the table's row in {@code t_task_table} (as {@link NewTaskTables#enter} does).
 * Begin moves only under the exclusive lock of that row, taken without waiting, and after checking
 * the table again. So tasks committed before are seen, and later creates find the table drained and
 * choose another one. A create that hangs keeps begin from passing its table, and delays nothing
 * else.
 *
 * <p>Locks are those of one database server. Where two take writes for a moment, a create and the
 * drain of its table may both commit. So each table is looked at once more when a create that did
 * not see the drain has ended. What this server does not live to see, the invariant auditor finds.
 *
 * <p>{@link #runOnce} must be called by one thread at a time; it may run on several servers at the
 * same time.
 */
@Component
public class TableDrain {

  private static final Logger log = LoggerFactory.getLogger(TableDrain.class);

  /** The most tables of one family that begin passes in one round. */
  private static final int MAX_TABLES = 200;

  /** The most families that one round checks; a delay does no harm. */
  private static final int MAX_FAMILIES = 200;

  /** The number of live tables that is logged as a warning, and again at each doubling. */
  private static final int MANY_TABLES = 16;

  /** Longer than a create lasts: a lock, an INSERT and a commit of 2.5 s each at most. */
  private static final Duration SECOND_LOOK = Duration.ofSeconds(8);

  private static final double NEARLY_FULL = 0.8;

  /**
   * The accepted age of the positions: this server's own rolls are known at once, those of others
   * that late.
   */
  private static final Duration MAX_AGE = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final SchedulePositions positions;
  private final TableLifeStore lives;
  private final RetryingTransactions transactions;
  private final DatabaseWatch database;
  private final Node node;
  private final RoundRobin<TaskTable> turns = new RoundRobin<>(MAX_FAMILIES);
  private final Deque<Passed> passed = new ArrayDeque<>();
  private final Map<TaskType, Integer> prepared = new HashMap<>();
  private final Map<TaskType, Integer> warnedAt = new HashMap<>();

  /** A table that begin has passed, and when: ns, monotonic. */
  private record Passed(TaskTable table, long time) {}

  public TableDrain(
      TaskTypes types,
      TaskFamilies families,
      SchedulePositions positions,
      TableLifeStore lives,
      RetryingTransactions transactions,
      DatabaseWatch database,
      Node node) {
    this.node = node;
    this.types = types;
    this.families = families;
    this.positions = positions;
    this.lives = lives;
    this.transactions = transactions;
    this.database = database;
  }

  @Bean
  Duty tableDrainDuty(DutyIntervals every) {
    return Duty.ofLeader("table-drain", every.sweep(), this::runOnce);
  }

  /**
   * Returns the number of tables that begin was moved past.
   *
   * @throws RuntimeException the first failure, after all other families have been processed
   */
  public int runOnce() {
    if (database.writers() > 1) {
      return 0; // a create at another database server is not seen
    }
    FailureCollector failures = new FailureCollector();
    failures.collect(() -> takeBackLost(toLookAtAgain()));
    Map<TaskTable, TaskFamily> byBegin = new HashMap<>();
    for (TaskFamily family : families.allWithin(MAX_AGE)) {
      if (family.live().size() > 1) {
        byBegin.put(family.begin(), family);
      }
      failures.collect(() -> prepareNext(family));
      warnOfMany(family);
    }
    int drained = drain(byBegin, failures);
    if (drained > 0) {
      families.outdated();
    }
    failures.throwFirst();
    return drained;
  }

  private List<TaskTable> toLookAtAgain() {
    List<TaskTable> tables = new ArrayList<>();
    while (!passed.isEmpty()
        && node.nanoTime() - passed.getFirst().time() >= SECOND_LOOK.toNanos()) {
      tables.add(passed.removeFirst().table());
    }
    tables.removeIf(this::isGivenUp); // it may have been dropped, too
    return tables;
  }

  private boolean isGivenUp(TaskTable table) {
    return families.find(table.type(), RECENT).filter(family -> family.has(table)).isEmpty();
  }

  private int drain(Map<TaskTable, TaskFamily> byBegin, FailureCollector failures) {
    List<TaskTable> candidates = turns.next(byBegin.keySet());
    Set<TaskTable> unfinished =
        Set.copyOf(TableGroups.ask(candidates, failures, lives::unfinished));
    int drained = 0;
    for (TaskTable begin : candidates) {
      if (!unfinished.contains(begin)) {
        drained += failures.orElse(0, () -> drain(byBegin.get(begin)));
      }
    }
    return drained;
  }

  private int drain(TaskFamily family) {
    int drained = 0;
    for (TaskTable table : family.live()) {
      if (table.equals(family.end())
          || drained == MAX_TABLES
          || lives.hasUnfinished(table)
          || !transactions.execute(() -> pass(table))) {
        break;
      }
      passed.addLast(new Passed(table, node.nanoTime()));
      drained++;
    }
    return drained;
  }

  private boolean pass(TaskTable table) {
    if (!lives.lockForDrain(table) || lives.hasUnfinished(table)) {
      return false;
    }
    if (positions.advanceBegin(table.type().name(), table.number()) == 0) {
      return false;
    }
    lives.markDrained(table);
    return true;
  }

  /**
   * Moves begin back to a drained table that has unfinished tasks. Such a table comes from a create
   * at another database server, from a restored backup, or from rows that were edited by hand.
   *
   * @param drained tables behind begin, of any families
   * @return the number of families whose begin was moved
   * @throws RuntimeException the first failure, after all other tables have been processed
   */
  public int takeBackLost(List<TaskTable> drained) {
    FailureCollector failures = new FailureCollector();
    Map<TaskType, TaskTable> firstOfType = new HashMap<>();
    TableGroups.ask(drained, failures, lives::unfinished)
        .forEach(
            lost -> firstOfType.merge(lost.type(), lost, BinaryOperator.minBy(naturalOrder())));
    int takenBack = 0;
    for (TaskTable first : firstOfType.values()) { // the tables after it become live, too
      takenBack +=
          failures.orElse(false, () -> transactions.execute(() -> takeBack(first))) ? 1 : 0;
    }
    if (takenBack > 0) {
      families.outdated();
    }
    failures.throwFirst();
    return takenBack;
  }

  private boolean takeBack(TaskTable table) {
    if (positions.moveBeginBack(table.type().name(), table.number()) == 0) {
      return false; // another server has moved it, or the table has been given up since
    }
    lives.unmarkDrainedFrom(table);
    return true;
  }

  private void prepareNext(TaskFamily family) {
    TaskTable end = family.end();
    boolean isNearlyFull =
        types
            .known(family.type())
            .filter(type -> family.endRows() >= NEARLY_FULL * type.rollThreshold())
            .isPresent();
    if (isNearlyFull && prepared.getOrDefault(family.type(), 0) <= end.number()) {
      families.makeReady(new TaskTable(family.type(), end.number() + 1));
      prepared.put(family.type(), end.number() + 1);
    }
  }

  private void warnOfMany(TaskFamily family) {
    int live = family.live().size();
    int warned = warnedAt.getOrDefault(family.type(), MANY_TABLES / 2);
    if (live >= 2 * warned) {
      log.warn(
          "{} has {} live tables: {} has unfinished tasks", family.type(), live, family.begin());
      warnedAt.put(family.type(), live);
    } else if (live < MANY_TABLES) {
      warnedAt.remove(family.type());
    }
  }
}
