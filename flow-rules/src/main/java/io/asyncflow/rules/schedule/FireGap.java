package io.asyncflow.rules.schedule;

import io.asyncflow.api.schedule.GapReason;
import java.util.List;

/**
 * A stretch of fire times that make nothing.
 *
 * @param from the first fire time, epoch ms
 * @param to the last fire time, epoch ms
 * @param fires how many there are
 */
public record FireGap(long from, long to, int fires, GapReason reason) {

  /** The most fire times of a pause that are counted. */
  private static final int MAX_COUNTED = 100_000;

  /**
   * What a pause has left out.
   *
   * @param first the first fire time, epoch ms
   * @param last epoch ms; no fire time after it; with more than 100,000 fire times, the end of the
   *     gap
   */
  public static FireGap paused(FireTimes times, long first, long last) {
    List<Long> others = times.after(first, last + 1, MAX_COUNTED);
    int counted = Math.min(others.size(), MAX_COUNTED - 1);
    long to = others.isEmpty() ? first : others.get(others.size() - 1);
    return new FireGap(first, counted < others.size() ? last : to, counted + 1, GapReason.PAUSED);
  }

  /** The same stretch with a later fire time at its end. */
  FireGap and(long time) {
    return new FireGap(from, time, fires + 1, reason);
  }
}
