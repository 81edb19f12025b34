package io.asyncflow.rules;

import java.time.Duration;
import java.util.List;

/**
 * A time in which no server could write, so that no worker could be heard.
 *
 * @param start epoch ms of the last write before it
 * @param end epoch ms of the first write after it
 */
public record WriteOutage(long start, long end) {

  /** The time without a write from which on it is an outage: servers write every three seconds. */
  public static final Duration SHORTEST = Duration.ofSeconds(6);

  /**
   * The end of the leases that a sweep may end now. Leases that ran out in an outage, or in the
   * grace after it, are left alone until the grace is over: it lasts two intervals of heartbeats,
   * each of which is a third of the lease. A lease has the grace of one outage, whatever outages
   * follow.
   *
   * @param outages in their order
   * @param lease of the type
   * @param now epoch ms
   * @return epoch ms, at most {@code now}: leases that ran out later are left alone
   */
  public static long sweptUntil(List<WriteOutage> outages, Duration lease, long now) {
    long grace = lease.toMillis() * 2 / 3;
    long graceBefore = Long.MIN_VALUE;
    for (WriteOutage outage : outages) {
      long graceEnd = outage.end + grace;
      if (graceEnd > now) {
        return Math.min(now, Math.max(outage.start, graceBefore));
      }
      graceBefore = graceEnd;
    }
    return now;
  }
}
