package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * Says where new tasks go, and rolls to the next table when one is full.
 *
 * <p>The rows of the end table are given out to servers in blocks, by one compare-and-set a block,
 * and a server spends its block in memory. So the rows of a table are known without counting them,
 * creates of several servers do not meet on a counter, and a table exceeds its threshold by less
 * than a block, or the call that filled it. What is left of a block when its server dies, or when a
 * larger call needs a new one, stays unused.
 *
 * <p>Thread-safe.
 */
@Component
public class NewTaskTables {

  private static final Logger log = LoggerFactory.getLogger(NewTaskTables.class);
  private static final int BLOCKS_A_TABLE = 20;
  private static final int LARGEST_BLOCK = 1_000;

  /**
   * How many times as long as a failed try to roll took the next one is put off. A CREATE TABLE
   * that waits for a backup's lock holds up all creates of the type.
   */
  private static final int REST = 9;

  private final TaskFamilies families;
  private final SchedulePositions positions;
  private final TableLifeStore lives;
  private final Node node;
  private final Map<TaskType, Block> blocks = new ConcurrentHashMap<>();
  private final Map<TaskType, Object> refills = new ConcurrentHashMap<>();
  private final Map<TaskType, Long> putOff = new ConcurrentHashMap<>();

  public NewTaskTables(
      TaskFamilies families, SchedulePositions positions, TableLifeStore lives, Node node) {
    this.families = families;
    this.positions = positions;
    this.lives = lives;
    this.node = node;
  }

  /** What this server may still put into a table. */
  private record Block(TaskTable table, AtomicLong left) {

    boolean take(int count) {
      return left.getAndUpdate(n -> n >= count ? n - count : n) >= count;
    }
  }

  /**
   * The table for so many new tasks. May run DDL: never call it inside a transaction.
   *
   * @param count at least 1
   */
  public TaskTable tableFor(TaskTypeConfig type, int count) {
    TaskTable end = families.of(type.type()).end();
    if (takeFromBlock(end, count)) {
      return end;
    }
    synchronized (refills.computeIfAbsent(type.type(), t -> new Object())) {
      return refill(type, count);
    }
  }

  private boolean takeFromBlock(TaskTable end, int count) {
    Block block = blocks.get(end.type());
    return block != null && block.table().equals(end) && block.take(count);
  }

  private TaskTable refill(TaskTypeConfig type, int count) {
    long threshold = type.rollThreshold();
    long size = Math.max(count, Math.min(threshold / BLOCKS_A_TABLE, LARGEST_BLOCK));
    while (true) {
      TaskTable end = families.of(type.type()).end();
      if (takeFromBlock(end, count)) {
        return end; // another thread was here before
      }
      boolean isGiven = positions.giveOut(end.type().name(), end.number(), size, threshold) == 1;
      boolean isStillTheEnd = isGiven || families.refreshed(end.type()).end().equals(end);
      if (isGiven || (isStillTheEnd && !roll(end))) {
        blocks.put(end.type(), new Block(end, new AtomicLong(size - count)));
        return end;
      }
    }
  }

  /** False if there is no next table to be had: one that is too full is better than a refusal. */
  private boolean roll(TaskTable end) {
    Long putOffUntil = putOff.get(end.type());
    long begun = node.nanoTime();
    if (putOffUntil != null && begun - putOffUntil < 0) {
      return false;
    }
    try {
      if (families.advance(end)) {
        log.info("{} is full, new tasks go to the next table", end);
      }
      putOff.remove(end.type());
      return true;
    } catch (DataAccessException e) {
      long now = node.nanoTime();
      if (putOff.put(end.type(), now + REST * (now - begun)) == null) {
        log.warn(
            "{} is full and the next table cannot be made; it takes more until it can: {}",
            end,
            e.getMostSpecificCause().getMessage());
      }
      return false;
    }
  }

  /** A new task did not get in, because begin has moved past the table: ask anew where to go. */
  public void outdated(TaskTable table) {
    blocks.remove(table.type());
    families.outdated();
  }

  /**
   * Locks the table for a task that is to wait again until the transaction ends: begin does not
   * move past it meanwhile. New tasks are inserted under the same lock.
   *
   * @return false if begin has moved past it
   */
  public boolean enter(TaskTable table) {
    if (lives.lockUndrained(table)) {
      return true;
    }
    outdated(table);
    return false;
  }

  /**
   * Locks the table until the transaction ends: it is not given up meanwhile. For who makes
   * something that what is in it must outlast.
   *
   * @return false if it was given up
   */
  public boolean keep(TaskTable table) {
    return lives.lockKept(table);
  }
}
