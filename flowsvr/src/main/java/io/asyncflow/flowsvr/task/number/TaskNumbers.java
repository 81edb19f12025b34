package io.asyncflow.flowsvr.task.number;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.function.LongSupplier;

/**
 * Generates the numbers of task ids: 41 bits of milliseconds, 10 bits of the server number, 12 bits
 * of a sequence.
 *
 * <p>The layout is that of Twitter's Snowflake, with two stricter rules. The time is the
 * database's, advanced by the local monotonic clock, so that a wrong or jumping clock of a server
 * has no effect. Numbers are generated only under a trusted {@link ServerNumberLease} and never
 * beyond its time limit, so that the next owner of the server number starts after them.
 *
 * <p>Thread-safe.
 */
final class TaskNumbers {

  /** 2025-01-01T00:00:00Z. */
  static final long EPOCH_MS = 1_735_689_600_000L;

  static final int MAX_SERVERS = 1 << 10;
  private static final int SERVER_BITS = 10;
  private static final int SEQUENCE_BITS = 12;
  private static final int SEQUENCES = 1 << SEQUENCE_BITS;

  private final LongSupplier nanoClock;
  private ServerNumberLease lease;
  private long lastMs;
  private int sequence;

  TaskNumbers(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Sets the lease; with {@code null} no number can be generated. */
  synchronized void use(ServerNumberLease newLease) {
    lease = newLease;
    if (newLease != null) {
      // Starts a new millisecond: within the same one, a lower server number would yield a lower
      // number.
      lastMs = Math.max(lastMs, newLease.firstMs() - 1);
      sequence = SEQUENCES - 1;
    }
  }

  /** The latest epoch ms for which a number was generated. */
  synchronized long lastMs() {
    return lastMs;
  }

  /**
   * A number that is higher than all generated before.
   *
   * @throws FlowException with {@link ErrorCode#UNAVAILABLE} if no lease is trusted now
   */
  synchronized long next() {
    long nanos = nanoClock.getAsLong();
    if (lease == null || !lease.isTrustedAt(nanos)) {
      throw new FlowException(
          ErrorCode.UNAVAILABLE, "this server holds no server number at the moment; try again");
    }
    advanceTo(lease.databaseMsAt(nanos));
    if (lastMs > lease.limitMs()) {
      throw new FlowException(
          ErrorCode.UNAVAILABLE, "this server has used up its task numbers for now; try again");
    }
    return compose(lastMs, lease.serverNumber(), sequence);
  }

  /**
   * Never goes back. If the clock goes back, or the sequence of a millisecond is used up, the next
   * millisecond is used without waiting for it.
   */
  private void advanceTo(long ms) {
    if (ms > lastMs) {
      lastMs = ms;
      sequence = 0;
    } else if (++sequence == SEQUENCES) {
      lastMs++;
      sequence = 0;
    }
  }

  static long compose(long ms, int serverNumber, int sequence) {
    return (ms - EPOCH_MS) << (SERVER_BITS + SEQUENCE_BITS)
        | (long) serverNumber << SEQUENCE_BITS
        | sequence;
  }
}
