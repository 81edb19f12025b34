package io.asyncflow.flowsvr.tasktable.upkeep;

import static java.util.Comparator.naturalOrder;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.system.concurrent.RoundRobin;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.SchedulePositions;
import io.asyncflow.flowsvr.tasktable.TableGroups;
import io.asyncflow.flowsvr.tasktable.TableLifeStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
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
 * Keeps the families short at their beginning and ready at their end: moves begin over tables with
 * nothing unfinished, and makes the next table before the last one is full.
 *
 * <p>A creator may still be on its way into a table that is no longer the end: its INSERT locks the
 * table's row, shared, before it inserts (as {@link NewTaskTables#enter} does). Begin moves only
 * under the exclusive lock of that row, taken without waiting, and after one more look. So what was
 * committed before is seen, and who comes after finds the table drained and goes elsewhere. A
 * creator that hangs keeps begin from passing its table, and hinders nothing else.
 *
 * <p>{@link #runOnce} is for one thread at a time; all is harmless on several servers at once.
 */
@Component
public class TableDrain {

  private static final Logger log = LoggerFactory.getLogger(TableDrain.class);

  /** Tables of one family that one round passes. */
  private static final int MAX_TABLES = 200;

  /** Families of which one round asks whether begin can move; there is no hurry. */
  private static final int MAX_FAMILIES = 200;

  /** Live tables from which on people are told, and again at each doubling. */
  private static final int MANY_TABLES = 16;

  private static final double NEARLY_FULL = 0.8;

  /** Where this server rolls it knows at once; of another one's roll it may hear so late. */
  private static final Duration LIVE_FOR_NOW = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final SchedulePositions positions;
  private final TableLifeStore lives;
  private final RetryingTransactions transactions;
  private final RoundRobin<TaskTable> turns = new RoundRobin<>(MAX_FAMILIES);
  private final Map<TaskType, Integer> prepared = new HashMap<>();
  private final Map<TaskType, Integer> warnedAt = new HashMap<>();

  public TableDrain(
      TaskTypes types,
      TaskFamilies families,
      SchedulePositions positions,
      TableLifeStore lives,
      RetryingTransactions transactions) {
    this.types = types;
    this.families = families;
    this.positions = positions;
    this.lives = lives;
    this.transactions = transactions;
  }

  @Bean
  Duty tableDrainDuty(DutyIntervals every) {
    return Duty.ofLeader("table-drain", every.sweep(), this::runOnce);
  }

  /**
   * Returns how many tables begin was moved past.
   *
   * @throws RuntimeException the first failure, after all the other families have been looked after
   */
  public int runOnce() {
    FailureCollector failures = new FailureCollector();
    Map<TaskTable, TaskFamily> ofBegin = new HashMap<>();
    for (TaskFamily family : families.allWithin(LIVE_FOR_NOW)) {
      if (family.live().size() > 1) {
        ofBegin.put(family.begin(), family);
      }
      failures.collect(() -> prepareNext(family));
      warnOfMany(family);
    }
    int drained = drain(ofBegin, failures);
    if (drained > 0) {
      families.outdated();
    }
    failures.throwFirst();
    return drained;
  }

  private int drain(Map<TaskTable, TaskFamily> ofBegin, FailureCollector failures) {
    List<TaskTable> asked = turns.next(ofBegin.keySet());
    Set<TaskTable> unfinished = Set.copyOf(TableGroups.ask(asked, failures, lives::unfinished));
    int drained = 0;
    for (TaskTable begin : asked) {
      if (!unfinished.contains(begin)) {
        drained += failures.orElse(0, () -> drain(ofBegin.get(begin)));
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
   * Moves begin back where a table behind it has unfinished tasks. Nothing here makes such a table:
   * it comes from a restored backup, or from rows that were edited by hand.
   *
   * @param drained tables behind begin, of any families
   * @return of how many families it was moved
   * @throws RuntimeException the first failure, after all the other tables have been looked at
   */
  public int takeBackLost(List<TaskTable> drained) {
    FailureCollector failures = new FailureCollector();
    Map<TaskType, TaskTable> firstOfType = new HashMap<>();
    TableGroups.ask(drained, failures, lives::unfinished)
        .forEach(
            lost -> firstOfType.merge(lost.type(), lost, BinaryOperator.minBy(naturalOrder())));
    int takenBack = 0;
    for (TaskTable first : firstOfType.values()) { // and with it the tables after it
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
      return false; // another server was faster, or the table has been given up since
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
      log.warn("{} has {} live tables: {} is not done yet", family.type(), live, family.begin());
      warnedAt.put(family.type(), live);
    } else if (live < MANY_TABLES) {
      warnedAt.remove(family.type());
    }
  }
}
