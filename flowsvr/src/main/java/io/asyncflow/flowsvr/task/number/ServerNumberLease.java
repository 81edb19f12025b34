package io.asyncflow.flowsvr.task.number;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A lease of a server number.
 *
 * @param serverNumber 0 to 1,023
 * @param firstMs epoch ms: the previous owner generated no number for this time or later
 * @param limitMs epoch ms: no number may be generated for a later time
 * @param databaseMs the database's epoch ms when it granted the lease
 * @param requestedAtNanos local monotonic clock in ns, read before the request to the database
 * @param trustedFor how long after that the lease is certain to last
 */
record ServerNumberLease(
    int serverNumber,
    long firstMs,
    long limitMs,
    long databaseMs,
    long requestedAtNanos,
    Duration trustedFor) {

  boolean isTrustedAt(long nanos) {
    return nanos - requestedAtNanos < trustedFor.toNanos();
  }

  /**
   * An estimate of the database's current epoch ms; ahead by at most the time that the request took
   * to reach the database.
   */
  long databaseMsAt(long nanos) {
    return databaseMs + TimeUnit.NANOSECONDS.toMillis(nanos - requestedAtNanos);
  }
}
