package io.asyncflow.flowsvr.base.leader;

import java.time.Duration;

/**
 * A term that this node leads.
 *
 * @param number rises with every change of leader
 * @param askedAtNanos the local monotonic clock in ns, read before the request for the lease
 * @param trustedFor the time after that in which no other node can take over
 */
public record LeaderTerm(long number, long askedAtNanos, Duration trustedFor) {

  /** Whether this node certainly still leads; false in the margin before the lease's end. */
  public boolean isTrustedAt(long nanos) {
    return nanos - askedAtNanos < trustedFor.toNanos();
  }
}
