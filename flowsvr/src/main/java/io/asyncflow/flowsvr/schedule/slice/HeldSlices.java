package io.asyncflow.flowsvr.schedule.slice;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The slices that this server owns as its last round has seen them, until when it trusts that, and
 * which of them are in use. Thread-safe.
 */
final class HeldSlices implements SliceLeases {

  private final LongSupplier nanoClock;
  private final TreeMap<Integer, OwnedSlice> owned = new TreeMap<>();
  private final Set<Integer> leaving = new HashSet<>();
  private final Map<Integer, Integer> uses = new HashMap<>();
  private long trustedUntil;
  private int openUses;
  private long busySince;
  private long busyNanos;

  HeldSlices(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Sets what this server owns from now on.
   *
   * @param leavingNow those of them that shall be handed over: none is part of a later use
   * @param until when the trust in all of them ends, by the monotonic clock in ns
   */
  synchronized void set(Collection<OwnedSlice> ownedNow, Set<Integer> leavingNow, long until) {
    owned.clear();
    ownedNow.forEach(this::add);
    leaving.clear();
    leaving.addAll(leavingNow);
    trustedUntil = until;
  }

  /** Adds a slice that was taken after the request for the others. */
  synchronized void add(OwnedSlice slice) {
    owned.put(slice.slice(), slice);
  }

  synchronized void drop(int slice) {
    owned.remove(slice);
  }

  synchronized void dropAll() {
    owned.clear();
  }

  /** What this server owns as far as it knows, trusted or not. */
  synchronized List<OwnedSlice> owned() {
    return List.copyOf(owned.values());
  }

  synchronized boolean isInUse(int slice) {
    return uses.containsKey(slice);
  }

  /** What this server certainly owns, by number, but for what shall be handed over. */
  synchronized List<OwnedSlice> trusted() {
    return nanoClock.getAsLong() - trustedUntil >= 0
        ? List.of()
        : owned.values().stream().filter(slice -> !leaving.contains(slice.slice())).toList();
  }

  @Override
  public synchronized SliceUse use() {
    List<OwnedSlice> slices = trusted();
    slices.forEach(slice -> uses.merge(slice.slice(), 1, Integer::sum));
    if (openUses++ == 0) {
      busySince = nanoClock.getAsLong();
    }
    return new SliceUse(slices, () -> end(slices));
  }

  private synchronized void end(List<OwnedSlice> slices) {
    slices.forEach(
        slice ->
            uses.computeIfPresent(slice.slice(), (key, count) -> count == 1 ? null : count - 1));
    if (--openUses == 0) {
      busyNanos += nanoClock.getAsLong() - busySince;
    }
  }

  /** How long slices were in use since the previous call, in ns. */
  synchronized long takeBusyNanos() {
    long now = nanoClock.getAsLong();
    if (openUses > 0) {
      busyNanos += now - busySince;
      busySince = now;
    }
    long taken = busyNanos;
    busyNanos = 0;
    return taken;
  }
}
