package io.asyncflow.flowsvr.task.table.upkeep;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.table.SchedulePositions;
import io.asyncflow.flowsvr.task.table.TableLifeStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Map;
import org.springframework.stereotype.Service;

/** Rolls to the next table of a type by hand, however full the end is. Thread-safe. */
@Service
class TableRoll {

  private static final Duration DAY = Duration.ofDays(1);
  private static final int MOST_A_DAY = 24;

  private final TaskFamilies families;
  private final TableLifeStore lives;
  private final SchedulePositions positions;
  private final Acts acts;
  private final RetryingTransactions transactions;

  TableRoll(
      TaskFamilies families,
      TableLifeStore lives,
      SchedulePositions positions,
      Acts acts,
      RetryingTransactions transactions) {
    this.families = families;
    this.lives = lives;
    this.positions = positions;
    this.acts = acts;
    this.transactions = transactions;
  }

  /**
   * Rolls to the next table now; does nothing if another call has rolled meanwhile. Creates the
   * first table if there is none. Runs DDL.
   *
   * @return the end
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the type got many tables within
   *     a day
   * @throws org.springframework.dao.DataAccessException if the next table cannot be created
   */
  TaskTable roll(TaskType type, Reason why) {
    families.of(type); // creates the first table, if there is none
    TaskTable end = endNow(type);
    TaskTable next = new TaskTable(type, end.number() + 1);
    requireRoom(type);
    families.makeReady(next);
    transactions.execute(() -> moveEnd(end, next, why));
    families.outdated();
    return endNow(type);
  }

  /** A table more in each look for tasks, until it is drained, is what a roll costs all others. */
  private void requireRoom(TaskType type) {
    if (lives.madeWithin(type, DAY) >= MOST_A_DAY) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "type %s got %s tables within a day, and no roll by hand adds to that"
              .formatted(type, MOST_A_DAY));
    }
  }

  private boolean moveEnd(TaskTable end, TaskTable next, Reason why) {
    boolean isMoved = positions.advanceEnd(end.type().name(), end.number()) == 1;
    if (isMoved) {
      Map<String, String> detail = Map.of("table", next.sqlName());
      acts.record(Act.of("ROLL", "type:" + end.type()).by(why).with(detail));
    }
    return isMoved;
  }

  /** The end as it is now, not as it was cached: another server may have rolled since. */
  private TaskTable endNow(TaskType type) {
    return families.find(type, Freshness.NOW).orElseThrow().end();
  }
}
