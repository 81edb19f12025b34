package io.asyncflow.flowsvr.tasktable;

/**
 * A table as operators see it.
 *
 * @param table its name in the database
 * @param number from 1
 * @param state where it stands in its life
 * @param rows the engine's estimate; {@code null} if it has none
 * @param bytes of rows and indexes on disk, the engine's estimate; {@code null} if it has none
 * @param createTime epoch ms
 * @param ageSeconds since then, on the database's clock
 * @param drainTime epoch ms at which its last task was seen to be done; {@code null} before
 */
public record TaskTableView(
    String table,
    int number,
    State state,
    Long rows,
    Long bytes,
    long createTime,
    long ageSeconds,
    Long drainTime) {

  /** The life of a table, in order. */
  public enum State {
    /** New tasks go to it. */
    OPEN,
    /** Takes no new tasks; some of its tasks are not done. */
    SEALED,
    /** All of its tasks are done; they can be read until the retention is over. */
    DRAINED,
    /** Given up: it is not read any more and will be gone in a moment. */
    DROPPING
  }
}
