package io.asyncflow.flowsvr.task.table;

/**
 * A table as the API shows it to operators.
 *
 * @param table its name in the database
 * @param number from 1
 * @param state its state in the life cycle
 * @param rows the engine's estimate; {@code null} if it has none
 * @param bytes the engine's estimate of the size of rows and indexes on disk; {@code null} if it
 *     has none
 * @param createTime epoch ms
 * @param ageSeconds seconds since {@code createTime}, by the database's clock
 * @param drainTime epoch ms at which begin moved past it; {@code null} before
 * @param paused whether it has paused tasks, which keep it from draining
 */
public record TaskTableView(
    String table,
    int number,
    State state,
    Long rows,
    Long bytes,
    long createTime,
    long ageSeconds,
    Long drainTime,
    boolean paused) {

  /** The life cycle of a table, in order. */
  public enum State {
    /** New tasks go to it. */
    OPEN,
    /** Takes no new tasks; some of its tasks may be unfinished. */
    FULL,
    /** All of its tasks are final; they can be read until the retention is over. */
    DRAINED,
    /** Given up: it is no longer read and will be dropped soon. */
    DROPPING
  }
}
