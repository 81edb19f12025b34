package io.asyncflow.flowsvr.leader;

import java.time.Duration;

/**
 * A term that this node leads.
 *
 * @param number rises with every change of leader
 * @param askedAtNanos local monotonic clock, taken before the database was asked for the lease
 * @param trustedFor how long after that no other node can have taken over
 */
public record LeaderTerm(long number, long askedAtNanos, Duration trustedFor) {

  /** Whether this node certainly still leads; false in the margin before the lease's end. */
  public boolean isTrustedAt(long nanos) {
    return nanos - askedAtNanos < trustedFor.toNanos();
  }
}
