package io.asyncflow.flowsvr.task.table;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
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
 * Chooses the table for new tasks, and rolls to the next table when one is full.
 *
 * <p>The rows of the end table are allotted to servers in blocks, by one compare-and-set per block,
 * and a server uses its block in memory. So the rows of a table are known without counting them,
 * creates of several servers do not contend for a counter, and a table exceeds its threshold by
 * less than a block, or by the call that filled it. The rest of a block stays unused when its
 * server dies, or when a larger call needs a new block.
 *
 * <p>Thread-safe.
 */
@Component
public class NewTaskTables {

  private static final Logger log = LoggerFactory.getLogger(NewTaskTables.class);
  private static final int BLOCKS_PER_TABLE = 20;
  private static final int MAX_BLOCK = 1_000;

  /**
   * The pause after a failed roll, as a multiple of the time that it took. A CREATE TABLE that
   * waits for a backup's lock delays all creates of the type.
   */
  private static final int PAUSE_FACTOR = 9;

  private final TaskFamilies families;
  private final TableLifeStore lives;
  private final Node node;
  private final Map<TaskType, Block> blocks = new ConcurrentHashMap<>();
  private final Map<TaskType, Object> refills = new ConcurrentHashMap<>();
  private final Map<TaskType, Long> rollPausedUntil = new ConcurrentHashMap<>();

  public NewTaskTables(TaskFamilies families, TableLifeStore lives, Node node) {
    this.families = families;
    this.lives = lives;
    this.node = node;
  }

  /** The rows of a table that are allotted to this server. */
  private record Block(TaskTable table, AtomicLong remaining) {

    boolean take(int count) {
      return remaining.getAndUpdate(n -> n >= count ? n - count : n) >= count;
    }
  }

  /**
   * The table for so many new tasks, which count against the table. May run DDL: never call it
   * inside a transaction.
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
    long size = Math.max(count, Math.min(threshold / BLOCKS_PER_TABLE, MAX_BLOCK));
    while (true) {
      TaskTable end = families.of(type.type()).end();
      if (takeFromBlock(end, count)) {
        return end; // another thread has got a new block
      }
      if (families.allotRows(end, size, threshold)) {
        return beginBlock(end, size - count);
      }
      boolean isFull = families.refreshed(end.type()).end().equals(end);
      if (isFull && !rollFull(end)) {
        return beginBlock(end, size - count);
      }
    }
  }

  private TaskTable beginBlock(TaskTable end, long remaining) {
    blocks.put(end.type(), new Block(end, new AtomicLong(remaining)));
    return end;
  }

  /**
   * Rolls to the next table. False if it cannot be created: then new tasks still go to the full
   * table, which is better than refusing them.
   */
  private boolean rollFull(TaskTable end) {
    Long pausedUntil = rollPausedUntil.get(end.type());
    long begin = node.nanoTime();
    if (pausedUntil != null && begin - pausedUntil < 0) {
      return false;
    }
    try {
      if (families.advance(end)) {
        log.info("{} is full, new tasks go to the next table", end);
      }
      rollPausedUntil.remove(end.type());
      return true;
    } catch (DataAccessException e) {
      long now = node.nanoTime();
      if (rollPausedUntil.put(end.type(), now + PAUSE_FACTOR * (now - begin)) == null) {
        log.warn(
            "{} is full and the next table cannot be created; it takes new tasks until then: {}",
            end,
            e.getMostSpecificCause().getMessage());
      }
      return false;
    }
  }

  /** Discards what is cached of the type's tables, because begin has moved past this table. */
  public void outdated(TaskTable table) {
    blocks.remove(table.type());
    families.outdated();
  }

  /**
   * Locks the table, until the transaction ends, for a task that is to wait again: begin cannot
   * move past it meanwhile. New tasks are inserted under the same lock.
   *
   * @return false if begin has moved past the table
   */
  public boolean enter(TaskTable table) {
    if (lives.lockUndrained(table)) {
      return true;
    }
    outdated(table);
    return false;
  }

  /**
   * Locks the table until the transaction ends: it cannot be given up meanwhile. For creating data
   * that refers to the table's tasks.
   *
   * @return false if the table was given up
   */
  public boolean keep(TaskTable table) {
    return lives.lockKept(table);
  }
}
