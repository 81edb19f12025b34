package io.asyncflow.flowsvr.number;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A server number that was lent to this process for a while.
 *
 * @param serverNumber 0 to 1,023
 * @param firstMs epoch ms: the previous owner made no number of this time or later
 * @param limitMs epoch ms: no number of a later time may be made
 * @param databaseMs the database's epoch ms when it granted this
 * @param askedAtNanos local monotonic clock, taken before the database was asked
 * @param trustedFor how long after that the number is certainly ours
 */
record ServerNumberLease(
    int serverNumber,
    long firstMs,
    long limitMs,
    long databaseMs,
    long askedAtNanos,
    Duration trustedFor) {

  boolean isTrustedAt(long nanos) {
    return nanos - askedAtNanos < trustedFor.toNanos();
  }

  /**
   * The database's clock as it is now, as far as this process can tell; ahead by as long as the
   * question was on its way.
   */
  long databaseMsAt(long nanos) {
    return databaseMs + TimeUnit.NANOSECONDS.toMillis(nanos - askedAtNanos);
  }
}
