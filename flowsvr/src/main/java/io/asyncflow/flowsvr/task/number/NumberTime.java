package io.asyncflow.flowsvr.task.number;

/**
 * The time in a task's number: the database's, to the millisecond, at which the number was made. So
 * a stretch of time is a range of numbers, and of the primary key of each task table.
 */
public final class NumberTime {

  private static final int BITS_BELOW = 22;

  private NumberTime() {}

  /** The epoch ms in a number. */
  public static long of(long number) {
    return (number >> BITS_BELOW) + TaskNumbers.EPOCH_MS;
  }

  /**
   * The lowest number of this epoch ms or a later one.
   *
   * @param ms any number; what lies outside of the times of numbers becomes their first or last
   */
  public static long firstAt(long ms) {
    long most = Long.MAX_VALUE >> BITS_BELOW;
    return ms <= TaskNumbers.EPOCH_MS
        ? 0
        : ms - TaskNumbers.EPOCH_MS > most ? Long.MAX_VALUE : TaskNumbers.compose(ms, 0, 0);
  }
}
