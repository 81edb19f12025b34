package io.asyncflow.flowsvr.schedule.slice;

import static java.util.Comparator.comparingInt;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * The slices that this server owns as its last round has seen them, until when it trusts that, and
 * which of them are in use. Thread-safe; one thread at a time uses them.
 */
final class HeldSlices implements SliceLeases {

  private final LongSupplier nanoClock;
  private final Set<OwnedSlice> owned = new TreeSet<>(comparingInt(OwnedSlice::slice));
  private final Set<OwnedSlice> leaving = new HashSet<>();
  private List<OwnedSlice> inUse = List.of();
  private long trustedUntil;
  private long usedSince;
  private long usedNanos;

  HeldSlices(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Sets what this server owns from now on.
   *
   * @param leavingNow those of them that shall be handed over: none is part of a later use
   * @param until when the trust in all of them ends, by the monotonic clock in ns
   */
  synchronized void set(List<OwnedSlice> ownedNow, List<OwnedSlice> leavingNow, long until) {
    owned.clear();
    owned.addAll(ownedNow);
    leaving.clear();
    leaving.addAll(leavingNow);
    trustedUntil = until;
  }

  /** Adds a slice that was taken after the request for the others. */
  synchronized void add(OwnedSlice slice) {
    owned.remove(slice); // of an older epoch
    owned.add(slice);
  }

  synchronized void drop(OwnedSlice slice) {
    owned.remove(slice);
  }

  /** What this server owns as far as it knows, trusted or not. */
  synchronized List<OwnedSlice> owned() {
    return List.copyOf(owned);
  }

  synchronized boolean isInUse(OwnedSlice slice) {
    return inUse.contains(slice);
  }

  /** What this server certainly owns, by number, but for what shall be handed over. */
  synchronized List<OwnedSlice> trusted() {
    return nanoClock.getAsLong() - trustedUntil >= 0
        ? List.of()
        : owned.stream().filter(slice -> !leaving.contains(slice)).toList();
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
