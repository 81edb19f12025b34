package io.asyncflow.rules.schedule;

import io.asyncflow.api.schedule.GapReason;

/**
 * A stretch of fire times that make nothing.
 *
 * @param from the first fire time, epoch ms
 * @param to the last fire time, epoch ms
 * @param fires how many there are
 */
public record FireGap(long from, long to, int fires, GapReason reason) {

  /** The same stretch with a later fire time at its end. */
  FireGap and(long time) {
    return new FireGap(from, time, fires + 1, reason);
  }
}
