package io.asyncflow.flowsvr.compose.schedule.slice;

import static java.util.Comparator.comparingInt;

import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The slices that this server may use as its last round has seen them, until when it trusts that,
 * and which of them are in use. Thread-safe; one thread at a time uses them.
 */
final class HeldSlices implements SliceLeases {

  private final LongSupplier nanoClock;
  private List<OwnedSlice> held = List.of();
  private List<OwnedSlice> inUse = List.of();
  private long trustedUntil;
  private long usedSince;
  private long usedNanos;

  HeldSlices(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Sets what a use may include from now on.
   *
   * @param until when the trust in all of them ends, by the monotonic clock in ns
   */
  synchronized void set(Collection<OwnedSlice> slices, long until) {
    held = slices.stream().sorted(comparingInt(OwnedSlice::slice)).toList();
    trustedUntil = until;
  }

  synchronized boolean isInUse(OwnedSlice slice) {
    return inUse.contains(slice);
  }

  /** What this server certainly owns, by number, but for what shall be handed over. */
  synchronized List<OwnedSlice> trusted() {
    return nanoClock.getAsLong() - trustedUntil >= 0 ? List.of() : held;
  }

  @Override
  public synchronized SliceUse use() {
    inUse = trusted();
    usedSince = nanoClock.getAsLong();
    return new SliceUse(inUse, this::end);
  }

  private synchronized void end() {
    usedNanos += nanoClock.getAsLong() - usedSince;
    inUse = List.of();
  }

  /** How long the uses took that ended since the previous call, in ns. */
  synchronized long takeUsedNanos() {
    long taken = usedNanos;
    usedNanos = 0;
    return taken;
  }
}
