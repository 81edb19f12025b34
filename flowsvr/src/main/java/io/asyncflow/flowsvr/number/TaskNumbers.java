package io.asyncflow.flowsvr.number;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.function.LongSupplier;

/**
 * Makes the numbers of task ids: 41 bits of milliseconds, 10 of the server's number, 12 that count.
 *
 * <p>The layout is Twitter's Snowflake; two things are stricter here. The time is the database's,
 * carried forward on the local monotonic clock, so that a wrong or jumping clock of a server
 * changes nothing. And numbers are made only under a {@link ServerNumberLease} that is still
 * trusted and never beyond its time limit, so that the next owner of the same server number starts
 * behind them.
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

  /** Goes on under this lease; {@code null} makes no number until there is one again. */
  synchronized void use(ServerNumberLease newLease) {
    lease = newLease;
    if (newLease != null) {
      // A millisecond of its own: a lower server number in the same one would make a lower number.
      lastMs = Math.max(lastMs, newLease.firstMs() - 1);
      sequence = SEQUENCES - 1;
    }
  }

  /** The latest time that a number was made for, epoch ms. */
  synchronized long lastMs() {
    return lastMs;
  }

  /**
   * A number that is higher than every one made here before.
   *
   * @throws FlowException with {@link ErrorCode#UNAVAILABLE} if the lease cannot be trusted now
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
   * Never goes back: where the clock does, and where a millisecond is used up, the count goes on
   * into the next millisecond without waiting for it.
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
