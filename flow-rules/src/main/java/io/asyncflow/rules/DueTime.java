package io.asyncflow.rules;

/**
 * Since when a waiting task could have been held. Its order time may be earlier: a priority moves
 * it ahead of others by a head start, and nobody has let the task wait for so long.
 */
public final class DueTime {

  private static final long SECOND = 1_000;

  private DueTime() {}

  /**
   * The order time, unless it contains a head start: then the order time without it, but never a
   * time after the last change of the row.
   *
   * @param priority seconds of head start
   * @return epoch ms, as the times that it is made of
   */
  public static long of(long orderTime, int priority, long modifyTime) {
    return Math.max(orderTime, Math.min(orderTime + priority * SECOND, modifyTime));
  }
}
